import { signHmac } from '#shared/hmac-sha256.ts'

export interface ComparisonFilterOptions {
  readonly secret: string
  /** Unix time in milliseconds. */
  readonly now: () => number
  /** How long a minute is. Shorter in tests that compress time. */
  readonly minuteMs?: number
  /** How many entries are remembered per minute; observations beyond that do not count. */
  readonly capacity?: number
}

const defaultMinuteMs = 60_000

/** Three times what an instance compares in a minute at 5 requests per second. */
const defaultCapacity = 1024

const keyBytes = 12

/**
 * Lets one observation of each kind through per minute: one copy of the same request, or one vote of an account for a request
 * shape. A client that polls would otherwise contribute the same observation many times. The state is at most 1,024 keyed
 * hashes of 16 characters, about 52 KiB, and contains neither credentials nor paths.
 */
export class ComparisonFilter {
  readonly #secret: string
  readonly #now: () => number
  readonly #minuteMs: number
  readonly #capacity: number
  readonly #counted = new Set<string>()
  #minute = 0

  constructor({
    secret,
    now,
    minuteMs = defaultMinuteMs,
    capacity = defaultCapacity,
  }: ComparisonFilterOptions) {
    this.#secret = secret
    this.#now = now
    this.#minuteMs = minuteMs
    this.#capacity = capacity
  }

  /**
   * Whether this observation is the first of its kind in the minute. `who` is null for requests without a credential or an
   * account.
   */
  count(who: string | null, what: string): boolean {
    const minute = Math.floor(this.#now() / this.#minuteMs)
    if (minute !== this.#minute) this.#counted.clear()
    this.#minute = minute
    const key = this.#keyOf(who, what)
    if (this.#counted.has(key) || this.#counted.size >= this.#capacity) return false
    this.#counted.add(key)
    return true
  }

  #keyOf(who: string | null, what: string) {
    return signHmac(this.#secret, 'comparison\n', JSON.stringify([who, what])).toString(
      'base64url',
      0,
      keyBytes,
    )
  }
}
