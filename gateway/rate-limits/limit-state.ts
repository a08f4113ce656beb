import QuickLRU from 'quick-lru'
import type { LimitGrant, LimitRefund, LimitReservation } from '#db/queries/rate-limits.ts'

// Enough keys for the visitors of several minutes.
const bounds = { maxSize: 50_000 }

/** Uses granted by the store. They expire at the end of their window, according to this process's clock. */
interface GrantedUses {
  readonly granted: number
  /** Uses granted to all instances in this window. */
  readonly used: number
  readonly window: string | null
  readonly until: number
  readonly idleMs: number
}

/** `window` is null if only this process counts it. */
export interface TakenUse {
  readonly window: string | null
  readonly until: number
  /** Uses granted to this process in this window and not refunded. */
  own: number
  /** Uses granted to all instances in this window, as far as this process knows. */
  used: number
  /** Uses granted to this process but not taken yet. */
  left: number
}

interface HeldUses extends TakenUse {
  readonly idleMs: number
  /** How many uses the store believes this process holds in advance. */
  reported: number
  takenAt: number
}

const createHeldUses = (now: () => number) => {
  const byKey = new QuickLRU<string, HeldUses>(bounds)
  const find = (key: string) => {
    const held = byKey.get(key)
    return held && held.until > now() ? held : undefined
  }
  const release = (held: HeldUses) => {
    const released = Math.max(0, held.reported - held.left)
    held.reported -= released
    return released
  }

  return {
    add(key: string, { granted, used, window, until, idleMs }: GrantedUses) {
      const known = find(key)
      const held =
        known?.window === window
          ? known
          : { window, until, idleMs, left: 0, reported: 0, own: 0, used: 0, takenAt: now() }
      held.left += granted
      held.reported += granted - 1
      held.own += granted
      held.used = used
      held.takenAt = now()
      if (held !== known) byKey.set(key, held)
    },

    take(key: string): TakenUse | null {
      const held = find(key)
      if (!held || held.left === 0) return null
      held.left -= 1
      held.takenAt = now()
      return held
    },

    /** Each released use is reported once. */
    report(key: string) {
      const held = find(key)
      if (!held) return { window: null, released: 0, own: 0 }
      return { window: held.window, released: release(held), own: held.own }
    },

    releaseUses(which: 'idle' | 'all'): LimitRefund[] {
      const time = now()
      const refunds: LimitRefund[] = []
      for (const [key, held] of byKey) {
        const isIdle = which === 'all' || time - held.takenAt >= held.idleMs
        if (held.until <= time) byKey.delete(key)
        else if (held.window !== null && held.left > 0 && isIdle) {
          const { window, left: uses } = held
          held.left = 0
          held.own -= uses
          held.used -= uses
          refunds.push({ key, window, uses, released: release(held) })
        }
      }
      return refunds
    },
  }
}

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
  const runningReservations = new QuickLRU<string, number>(bounds)
  const exhausted = new QuickLRU<string, Exhaustion>(bounds)
  const counts = new QuickLRU<string, LocalCount>(bounds)
  let callsSinceCleanup = 0
  let localUntil = 0
  let sharedUntil = 0
  let checkIdleAt = 0

  return {
    now,
    calls: { completed: 0, failed: 0, local: 0 },
    heldUses: createHeldUses(now),

    /** False while a reservation for this key is running. One that never ends expires after `forMs`. */
    beginReservation(key: string, forMs: number): boolean {
      const time = now()
      if ((runningReservations.get(key) ?? 0) > time) return false
      runningReservations.set(key, time + forMs)
      return true
    },

    endReservation(key: string) {
      runningReservations.delete(key)
    },

    markExhausted(key: string, resetsAt: number, forMs: number) {
      exhausted.set(key, { resetsAt, until: Math.min(resetsAt, now() + forMs) })
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
      counts.set(key, count)
      return {
        granted,
        used: count.used,
        held: 0,
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
