import type { LimitCount } from '#db/queries/rate-limits.ts'

// Enough for every visitor of some minutes; beyond that the oldest are forgiven.
const maxKeys = 50_000

interface OwnCount {
  used: number
  readonly until: number
}

interface Claim {
  left: number
  readonly until: number
}

interface Exhaustion {
  readonly resetsAt: number
  /** From then on it is asked again whether something is left. */
  readonly until: number
}

const makeRoom = (entries: Map<string, unknown>) => {
  const [oldest] = entries.keys()
  if (entries.size >= maxKeys && oldest !== undefined) entries.delete(oldest)
}

/** Adds an entry behind all others, so that the oldest are forgotten first. */
const put = <V>(entries: Map<string, V>, key: string, value: V) => {
  entries.delete(key)
  makeRoom(entries)
  entries.set(key, value)
}

/**
 * What one process remembers of limits: those that are used up, uses that it has counted ahead, and all of them while
 * the database cannot count.
 */
export const createLimitMemory = () => {
  const claims = new Map<string, Claim>()
  const claiming = new Map<string, number>()
  const exhausted = new Map<string, Exhaustion>()
  const counts = new Map<string, OwnCount>()
  let sinceCleaning = 0
  let aloneUntil = 0

  return {
    /** Keeps uses that are counted already, for so long, beside those that are left of earlier ones. */
    claim(key: string, uses: number, forMs: number) {
      const now = Date.now()
      const known = claims.get(key)
      const left = known && known.until > now ? known.left : 0
      put(claims, key, { left: left + uses, until: now + forMs })
    },

    /** Takes one of the uses that are counted already; false where there is none. */
    takeClaimed(key: string): boolean {
      const claim = claims.get(key)
      if (!claim || claim.until <= Date.now()) return false
      claim.left -= 1
      if (claim.left === 0) claims.delete(key)
      return true
    },

    /** False while a claim under this key is under way, which is forgotten after `forMs` if nobody ends it. */
    beginClaim(key: string, forMs: number): boolean {
      const now = Date.now()
      if ((claiming.get(key) ?? 0) > now) return false
      put(claiming, key, now + forMs)
      return true
    },

    endClaim(key: string) {
      claiming.delete(key)
    },

    /** Notes that nothing is left under this key, which begins anew after `resetsInMs`; it is believed for `forMs`. */
    exhaust(key: string, resetsInMs: number, forMs: number) {
      const now = Date.now()
      put(exhausted, key, { resetsAt: now + resetsInMs, until: now + Math.min(forMs, resetsInMs) })
    },

    /** Something was given back under this key. */
    relieve(key: string) {
      exhausted.delete(key)
    },

    /** Seconds until this key begins anew; null where something may be left now. */
    exhaustedForS(key: string): number | null {
      const known = exhausted.get(key)
      if (!known) return null
      const now = Date.now()
      if (known.until > now) return (known.resetsAt - now) / 1000
      exhausted.delete(key)
      return null
    },

    /** Counts here alone. */
    count(key: string, uses: number, windowS: number): LimitCount {
      const now = Date.now()
      const known = counts.get(key)
      const count = known && known.until > now ? known : { used: 0, until: now + windowS * 1000 }
      count.used += uses
      put(counts, key, count)
      return { used: count.used, resetsInS: (count.until - now) / 1000 }
    },

    /** Takes one use back that was counted here. */
    uncount(key: string) {
      const count = counts.get(key)
      if (count && count.used > 0) count.used -= 1
    },

    /** For so long everything is counted here alone. */
    standAlone(forMs: number) {
      aloneUntil = Date.now() + forMs
    },

    isAlone: () => aloneUntil > Date.now(),

    /** True once in a thousand times. */
    isTimeToClean: () => {
      sinceCleaning = (sinceCleaning + 1) % 1000
      return sinceCleaning === 0
    },
  }
}

export type LimitMemory = ReturnType<typeof createLimitMemory>
