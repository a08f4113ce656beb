import { signHmac } from '#shared/hmac-sha256.ts'

export interface ComparisonFilterOptions {
  readonly secret: string
  readonly now: () => number
  /** The length of a minute. Shorter in tests that compress time. */
  readonly minuteMs?: number
  /** How many observations are remembered per minute. Any further ones do not count. */
  readonly capacity?: number
}

const defaultMinuteMs = 60_000

/** Three times what an instance compares in a minute at 5 requests per second. */
const defaultCapacity = 1024

const keyBytes = 12

/**
 * Admits one observation of each kind per minute: one copy of a request, or one vote per account and request shape.
 * Otherwise a polling client would contribute the same observation many times. Keeps at most 1,024 keyed hashes (about
 * 52 KiB) but no credentials or paths.
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

  /** `who` is null for requests without a credential or account. */
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
