import type { Count } from '#db/queries/rate-limits.ts'

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

/**
 * What one process remembers of limits: those that are used up, uses that it has counted ahead, and all of them while
 * the database cannot count.
 */
export const createLimitMemory = () => {
  const claims = new Map<string, Claim>()
  const exhausted = new Map<string, number>()
  const counts = new Map<string, OwnCount>()
  let sinceCleaning = 0

  const makeRoom = (entries: Map<string, unknown>) => {
    const [oldest] = entries.keys()
    if (entries.size >= maxKeys && oldest !== undefined) entries.delete(oldest)
  }

  return {
    /** Keeps uses that are counted already, for so long, beside those that are left of earlier ones. */
    claim(key: string, uses: number, forMs: number) {
      const now = Date.now()
      const known = claims.get(key)
      const left = known && known.until > now ? known.left : 0
      claims.delete(key)
      makeRoom(claims)
      claims.set(key, { left: left + uses, until: now + forMs })
    },

    /** Takes one of the uses that are counted already; false where there is none. */
    takeClaimed(key: string): boolean {
      const claim = claims.get(key)
      if (!claim || claim.until <= Date.now()) return false
      claim.left -= 1
      if (claim.left === 0) claims.delete(key)
      return true
    },

    /** Notes that nothing is left under this key for so long. */
    exhaust(key: string, forMs: number) {
      makeRoom(exhausted)
      exhausted.set(key, Date.now() + forMs)
    },

    /** Seconds until something is left under this key again; null where something may be left now. */
    exhaustedForS(key: string): number | null {
      const until = exhausted.get(key)
      if (until === undefined) return null
      if (until > Date.now()) return (until - Date.now()) / 1000
      exhausted.delete(key)
      return null
    },

    /** Counts here alone. */
    count(key: string, uses: number, windowS: number): Count {
      const now = Date.now()
      const known = counts.get(key)
      const count = known && known.until > now ? known : { used: 0, until: now + windowS * 1000 }
      count.used += uses
      counts.delete(key)
      makeRoom(counts)
      counts.set(key, count)
      return { used: count.used, resetsInS: (count.until - now) / 1000 }
    },

    /** True once in a thousand times. */
    isTimeToClean: () => {
      sinceCleaning = (sinceCleaning + 1) % 1000
      return sinceCleaning === 0
    },
  }
}

export type LimitMemory = ReturnType<typeof createLimitMemory>
