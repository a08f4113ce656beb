import type { LimitRefund } from '#db/queries/rate-limits.ts'

// Enough for the visitors of several minutes; beyond that, the oldest entries are evicted.
const maxKeys = 50_000

/** Adds or moves an entry to the end, so that the oldest entries are evicted first. */
export const putBounded = <V>(entries: Map<string, V>, key: string, value: V) => {
  entries.delete(key)
  const [oldest] = entries.keys()
  if (entries.size >= maxKeys && oldest !== undefined) entries.delete(oldest)
  entries.set(key, value)
}

/** Uses that the store granted. They are valid until the window ends, by the clock of this process. */
interface GrantedUses {
  readonly granted: number
  /** How many uses of the window all instances were granted. */
  readonly used: number
  readonly window: string | null
  readonly until: number
  /** How long no use must be taken until the others are refunded. */
  readonly idleMs: number
}

/** A use that was taken, with the window that counts it: null if only this process does. */
export interface TakenUse {
  readonly window: string | null
  readonly until: number
  /** How many uses of the window this process was granted and has not refunded. */
  own: number
  /** How many uses of the window all instances were granted, as far as this process knows. */
  used: number
  /** Uses that this process was granted and that were not taken yet. */
  left: number
}

interface Holding extends TakenUse {
  readonly idleMs: number
  /** How many uses the store believes to be held in advance by this process. */
  reported: number
  takenAt: number
}

/** The uses that one process holds in advance, by the key of their limit. */
export const createHeldUses = (now: () => number) => {
  const holdings = new Map<string, Holding>()
  const find = (key: string) => {
    const holding = holdings.get(key)
    return holding && holding.until > now() ? holding : undefined
  }
  const release = (holding: Holding) => {
    const released = Math.max(0, holding.reported - holding.left)
    holding.reported -= released
    return released
  }

  return {
    /** Adds uses that the store granted: one for a request, the others in advance. */
    add(key: string, { granted, used, window, until, idleMs }: GrantedUses) {
      const known = find(key)
      const holding =
        known?.window === window
          ? known
          : { window, until, idleMs, left: 0, reported: 0, own: 0, used: 0, takenAt: now() }
      holding.left += granted
      holding.reported += granted - 1
      holding.own += granted
      holding.used = used
      holding.takenAt = now()
      if (holding !== known) putBounded(holdings, key, holding)
    },

    /** Takes one use; null if none is left. */
    take(key: string): TakenUse | null {
      const holding = find(key)
      if (!holding || holding.left === 0) return null
      holding.left -= 1
      holding.takenAt = now()
      return holding
    },

    /** What to report to the store with the next reservation. Each released use is reported once. */
    report(key: string) {
      const holding = find(key)
      if (!holding) return { window: null, released: 0, own: 0 }
      return { window: holding.window, released: release(holding), own: holding.own }
    },

    /** Releases the uses of idle keys, or of all. */
    releaseHeld(which: 'idle' | 'all'): LimitRefund[] {
      const time = now()
      const refunds: LimitRefund[] = []
      for (const [key, holding] of holdings) {
        const isIdle = which === 'all' || time - holding.takenAt >= holding.idleMs
        if (holding.until <= time) holdings.delete(key)
        else if (holding.window !== null && holding.left > 0 && isIdle) {
          const { window, left: uses } = holding
          holding.left = 0
          holding.own -= uses
          holding.used -= uses
          refunds.push({ key, window, uses, released: release(holding) })
        }
      }
      return refunds
    },
  }
}
