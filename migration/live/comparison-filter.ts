import { signHmac } from '#shared/hmac-sha256.ts'

interface ComparisonFilterOptions {
  readonly secret: string
  readonly now: () => number
  /** The length of a minute. Shorter in tests that compress time. */
  readonly minuteMs?: number
  /** How many observations are remembered per minute. Any further ones do not count. */
  readonly capacity?: number
}

const defaultMinuteMs = 60_000

/** Four times what an instance asks the core in a minute at 4 requests per second. */
const defaultCapacity = 1024

const keyBytes = 12

export type ComparisonFilter = ReturnType<typeof createComparisonFilter>

/**
 * Admits one observation of each kind per minute: one copy of a request, or one vote per account and request shape.
 * Otherwise a polling client would contribute the same observation many times. Keeps at most 1,024 keyed hashes (about
 * 52 KiB) but no credentials or paths.
 */
export const createComparisonFilter = ({
  secret,
  now,
  minuteMs = defaultMinuteMs,
  capacity = defaultCapacity,
}: ComparisonFilterOptions) => {
  const counted = new Set<string>()
  let current = 0
  return {
    /** `who` is null for requests without a credential or account. */
    count(who: string | null, what: string): boolean {
      const minute = Math.floor(now() / minuteMs)
      if (minute !== current) counted.clear()
      current = minute
      const hash = signHmac(secret, 'comparison\n', JSON.stringify([who, what]))
      const key = hash.toString('base64url', 0, keyBytes)
      if (counted.has(key) || counted.size >= capacity) return false
      counted.add(key)
      return true
    },
  }
}
