import type { LimitGrant, LimitReservation } from '#db/queries/rate-limits.ts'
import { createAdvanceUses, putBounded } from './advance-uses.ts'

interface LocalCount {
  used: number
  readonly until: number
}

interface Exhaustion {
  readonly resetsAt: number
  /** When to check the shared counter again. */
  readonly until: number
}

const sharingTtlMs = 600_000
const idleCheckIntervalMs = 500

/** `now` returns milliseconds of a monotonic clock. */
export const createLimitState = (now: () => number = () => performance.now()) => {
  const runningReservations = new Map<string, number>()
  const exhausted = new Map<string, Exhaustion>()
  const counts = new Map<string, LocalCount>()
  let callsSinceCleanup = 0
  let localUntil = 0
  let sharedUntil = 0
  let checkIdleAt = 0

  return {
    now,
    calls: { completed: 0, failed: 0, local: 0 },
    advanceUses: createAdvanceUses(now),

    /**
     * Returns false while a reservation for this key is running. A reservation that never ends expires after `forMs`.
     */
    beginReservation(key: string, forMs: number): boolean {
      const time = now()
      if ((runningReservations.get(key) ?? 0) > time) return false
      putBounded(runningReservations, key, time + forMs)
      return true
    },

    endReservation(key: string) {
      runningReservations.delete(key)
    },

    markExhausted(key: string, resetsAt: number, forMs: number) {
      putBounded(exhausted, key, { resetsAt, until: Math.min(resetsAt, now() + forMs) })
    },

    clearExhausted(key: string) {
      exhausted.delete(key)
    },

    findRetryAfterS(key: string): number | null {
      const known = exhausted.get(key)
      if (!known) return null
      const time = now()
      if (known.until > time) return (known.resetsAt - time) / 1000
      exhausted.delete(key)
      return null
    },

    reserveLocally({ key, limit, windowS }: LimitReservation): LimitGrant {
      const time = now()
      const known = counts.get(key)
      const count = known && known.until > time ? known : { used: 0, until: time + windowS * 1000 }
      const granted = count.used < limit ? 1 : 0
      count.used += granted
      putBounded(counts, key, count)
      return {
        granted,
        used: count.used,
        inAdvance: 0,
        window: null,
        resetsInS: (count.until - time) / 1000,
      }
    },

    refundLocally(key: string) {
      const count = counts.get(key)
      if (count && count.used > 0) count.used -= 1
    },

    useLocalCounts(forMs: number) {
      localUntil = now() + forMs
    },

    usesLocalCounts: () => localUntil > now(),

    markShared() {
      sharedUntil = now() + sharingTtlMs
    },

    /** Returns true at most twice a second, and only while other instances could use what this one gives back. */
    isTimeToRefund: () => {
      const time = now()
      if (localUntil > time || sharedUntil <= time || checkIdleAt > time) return false
      checkIdleAt = time + idleCheckIntervalMs
      return true
    },

    isTimeToClean: () => {
      callsSinceCleanup = (callsSinceCleanup + 1) % 1000
      return callsSinceCleanup === 0
    },
  }
}

export type LimitState = ReturnType<typeof createLimitState>
