import type { Comparer } from '../shadow/compare.ts'
import type { ComparisonTask } from '../shadow/comparison-tasks.ts'

/** Half of the queue of the child process: its rest is for copies that are on the way, and for confirmations. */
const maxPending = 32

/**
 * Opens the comparer with its first task: the address of the gateway is known only after it listens, and no request
 * arrives before. What is passed after `close` is dropped.
 */
export const createLazyComparer = (open: () => Comparer) => {
  let comparer: Comparer | null = null
  let pending = 0
  let isClosed = false
  return {
    async compare(task: ComparisonTask): ReturnType<Comparer['compare']> {
      if (isClosed) return { kind: 'dropped', reason: 'closed' }
      pending += 1
      try {
        comparer ??= open()
        return await comparer.compare(task)
      } finally {
        pending -= 1
      }
    },
    /** Whether a task that is passed now would be processed soon, and not be dropped for a newer one. */
    hasCapacity: () => pending < maxPending,
    async close() {
      isClosed = true
      await comparer?.close()
    },
  }
}
