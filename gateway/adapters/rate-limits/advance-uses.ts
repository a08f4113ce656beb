import type { LimitRefund } from '#db/queries/rate-limits.ts'

// Enough for the visitors of several minutes; beyond that, the oldest entries are evicted.
const maxKeys = 50_000

/** Adds or moves an entry to the end, so the oldest entries are evicted first. */
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

interface AdvanceUses extends TakenUse {
  readonly idleMs: number
  /** How many uses the store believes to be held in advance by this process. */
  reported: number
  takenAt: number
}

/** The uses that one process holds in advance, by the key of their limit. */
export const createAdvanceUses = (now: () => number) => {
  const byKey = new Map<string, AdvanceUses>()
  const find = (key: string) => {
    const advance = byKey.get(key)
    return advance && advance.until > now() ? advance : undefined
  }
  const release = (advance: AdvanceUses) => {
    const released = Math.max(0, advance.reported - advance.left)
    advance.reported -= released
    return released
  }

  return {
    /** Adds uses that the store granted: one for a request, the others in advance. */
    add(key: string, { granted, used, window, until, idleMs }: GrantedUses) {
      const known = find(key)
      const advance =
        known?.window === window
          ? known
          : { window, until, idleMs, left: 0, reported: 0, own: 0, used: 0, takenAt: now() }
      advance.left += granted
      advance.reported += granted - 1
      advance.own += granted
      advance.used = used
      advance.takenAt = now()
      if (advance !== known) putBounded(byKey, key, advance)
    },

    /** Takes one use; null if none is left. */
    take(key: string): TakenUse | null {
      const advance = find(key)
      if (!advance || advance.left === 0) return null
      advance.left -= 1
      advance.takenAt = now()
      return advance
    },

    /** What to report to the store with the next reservation. Each released use is reported once. */
    report(key: string) {
      const advance = find(key)
      if (!advance) return { window: null, released: 0, own: 0 }
      return { window: advance.window, released: release(advance), own: advance.own }
    },

    /** Releases the uses of idle keys, or of all. */
    releaseUses(which: 'idle' | 'all'): LimitRefund[] {
      const time = now()
      const refunds: LimitRefund[] = []
      for (const [key, advance] of byKey) {
        const isIdle = which === 'all' || time - advance.takenAt >= advance.idleMs
        if (advance.until <= time) byKey.delete(key)
        else if (advance.window !== null && advance.left > 0 && isIdle) {
          const { window, left: uses } = advance
          advance.left = 0
          advance.own -= uses
          advance.used -= uses
          refunds.push({ key, window, uses, released: release(advance) })
        }
      }
      return refunds
    },
  }
}
