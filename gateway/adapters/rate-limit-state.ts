import type { LimitCount } from '#db/queries/rate-limits.ts'

// Enough for the visitors of several minutes; beyond that, the oldest entries are evicted.
const maxKeys = 50_000

interface LocalCount {
  used: number
  readonly until: number
}

interface ReservedUses {
  left: number
  readonly until: number
}

interface Exhaustion {
  readonly resetsAt: number
  /** When the shared counter is checked again. */
  readonly until: number
}

const evictOldest = (entries: Map<string, unknown>) => {
  const [oldest] = entries.keys()
  if (entries.size >= maxKeys && oldest !== undefined) entries.delete(oldest)
}

/** Adds or moves an entry to the end, so that the oldest entries are evicted first. */
const put = <V>(entries: Map<string, V>, key: string, value: V) => {
  entries.delete(key)
  evictOldest(entries)
  entries.set(key, value)
}

/**
 * The rate limit state of one process: exhausted limits, reserved uses, and local counters for the time in which the
 * database is unavailable.
 */
export const createLimitState = () => {
  const reservations = new Map<string, ReservedUses>()
  const runningReservations = new Map<string, number>()
  const exhausted = new Map<string, Exhaustion>()
  const counts = new Map<string, LocalCount>()
  let callsSinceCleanup = 0
  let localUntil = 0

  return {
    /** Adds uses that are already counted in the database and valid for `forMs` to those left of earlier ones. */
    addReserved(key: string, uses: number, forMs: number) {
      const now = Date.now()
      const known = reservations.get(key)
      const left = known && known.until > now ? known.left : 0
      put(reservations, key, { left: left + uses, until: now + forMs })
    },

    /** Takes one reserved use; false if there is none. */
    takeReserved(key: string): boolean {
      const reserved = reservations.get(key)
      if (!reserved || reserved.until <= Date.now()) return false
      reserved.left -= 1
      if (reserved.left === 0) reservations.delete(key)
      return true
    },

    /** Returns false while a reservation of this key is running. An unfinished one expires after `forMs`. */
    beginReservation(key: string, forMs: number): boolean {
      const now = Date.now()
      if ((runningReservations.get(key) ?? 0) > now) return false
      put(runningReservations, key, now + forMs)
      return true
    },

    endReservation(key: string) {
      runningReservations.delete(key)
    },

    /** Marks this key as exhausted until it resets after `resetsInMs`, and at most for `forMs`. */
    markExhausted(key: string, resetsInMs: number, forMs: number) {
      const now = Date.now()
      put(exhausted, key, { resetsAt: now + resetsInMs, until: now + Math.min(forMs, resetsInMs) })
    },

    /** Clears the exhaustion of this key after a refund. */
    clearExhausted(key: string) {
      exhausted.delete(key)
    },

    /** Seconds until an exhausted key resets; null if uses may be left. */
    findRetryAfterS(key: string): number | null {
      const known = exhausted.get(key)
      if (!known) return null
      const now = Date.now()
      if (known.until > now) return (known.resetsAt - now) / 1000
      exhausted.delete(key)
      return null
    },

    /** Counts uses in this process only. */
    countLocally(key: string, uses: number, windowS: number): LimitCount {
      const now = Date.now()
      const known = counts.get(key)
      const count = known && known.until > now ? known : { used: 0, until: now + windowS * 1000 }
      count.used += uses
      put(counts, key, count)
      return { used: count.used, resetsInS: (count.until - now) / 1000 }
    },

    /** Refunds one use that was counted in this process. */
    refundLocally(key: string) {
      const count = counts.get(key)
      if (count && count.used > 0) count.used -= 1
    },

    /** Counts all uses in this process for `forMs`. */
    useLocalCounts(forMs: number) {
      localUntil = Date.now() + forMs
    },

    usesLocalCounts: () => localUntil > Date.now(),

    /** Returns true for every thousandth call. */
    isTimeToClean: () => {
      callsSinceCleanup = (callsSinceCleanup + 1) % 1000
      return callsSinceCleanup === 0
    },
  }
}

export type LimitState = ReturnType<typeof createLimitState>
