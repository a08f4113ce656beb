import type { AnalysisSlotPort } from '#native-routes/catalog-analysis/ports.ts'

interface Waiter {
  readonly accountId: string
  start(): void
}

const defaultMaxConcurrent = 2

/** Requests queue in order, and each account gets one slot at a time so it cannot hold up the others. */
export const createAnalysisSlots = (maxConcurrent = defaultMaxConcurrent): AnalysisSlotPort => {
  const running = new Set<string>()
  const waiters: Waiter[] = []

  const startNext = () => {
    while (running.size < maxConcurrent) {
      const index = waiters.findIndex(({ accountId }) => !running.has(accountId))
      const [waiter] = index < 0 ? [] : waiters.splice(index, 1)
      if (!waiter) return
      running.add(waiter.accountId)
      waiter.start()
    }
  }

  const acquire = (accountId: string, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiters.splice(waiters.indexOf(waiter), 1)
        reject(signal.reason)
      }
      const waiter = {
        accountId,
        start: () => {
          signal.removeEventListener('abort', leave)
          resolve()
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      waiters.push(waiter)
      startNext()
    })

  return {
    async run(accountId, read, signal) {
      signal.throwIfAborted()
      await acquire(accountId, signal)
      try {
        return await read()
      } finally {
        running.delete(accountId)
        startNext()
      }
    },
  }
}
