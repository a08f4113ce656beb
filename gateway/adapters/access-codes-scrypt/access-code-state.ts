import { setTimeout } from 'node:timers/promises'
import QuickLRU from 'quick-lru'

export const acceptedCodeTtlMs = 5 * 60 * 1000
// How long a check may keep later ones waiting. Longer than any hash takes. A cancelled Worker request never reports
// that its check ended.
const checkTimeoutMs = 2000
const pollIntervalMs = 20

/** Remembers accepted codes and running checks by keyed hash, so repeat visits skip the slow hash. */
export const createAccessCodeState = () => {
  const right = new QuickLRU<string, true>({ maxSize: 50_000, maxAge: acceptedCodeTtlMs })
  // Bounded, because cancelled Worker requests leave their checks behind.
  const checks = new QuickLRU<string, { readonly until: number }>({ maxSize: 10_000 })
  return {
    isAccepted: (codeHash: string) => right.get(codeHash) === true,

    addAccepted: (codeHash: string) => {
      right.set(codeHash, true)
    },

    async runInOrder(codeHash: string, check: () => Promise<boolean>): Promise<boolean> {
      // A Worker request cannot await another request's promise, so it polls.
      const previous = checks.get(codeHash)
      while (previous && checks.get(codeHash) === previous && previous.until > performance.now())
        await setTimeout(pollIntervalMs)
      const current = { until: performance.now() + checkTimeoutMs }
      checks.set(codeHash, current)
      try {
        return await check()
      } finally {
        if (checks.get(codeHash) === current) checks.delete(codeHash)
      }
    },
  }
}

export type AccessCodeState = ReturnType<typeof createAccessCodeState>
