import { signHmac } from '#shared/hmac-sha256.ts'

export interface ComparisonFilterOptions {
  readonly secret: string
  /** Milliseconds since the epoch of Unix. */
  readonly now: () => number
  /** How long a minute is. Shorter in tests that compress time. */
  readonly minuteMs?: number
  /** How many requests are remembered in a minute; further ones do not count. */
  readonly capacity?: number
}

const defaultMinuteMs = 60_000

/** Three times what an instance compares in a minute at 5 requests per second. */
const defaultCapacity = 1024

const keyBytes = 12

/**
 * Decides which comparisons count as independent observations: the first of each credential and path in a minute. A
 * client that repeats a request would otherwise contribute the same observation many times. The state is at most 1,024
 * keyed hashes of 16 characters, about 52 KiB, and contains neither credentials nor paths.
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

  /** Whether a comparison counts now. `path` has no query; `credential` is null for a request without one. */
  count(credential: string | null, path: string): boolean {
    const minute = Math.floor(this.#now() / this.#minuteMs)
    if (minute !== this.#minute) this.#counted.clear()
    this.#minute = minute
    const key = this.#keyOf(credential, path)
    if (this.#counted.has(key) || this.#counted.size >= this.#capacity) return false
    this.#counted.add(key)
    return true
  }

  // No path contains a line break, so that different pairs have different texts.
  #keyOf(credential: string | null, path: string) {
    const text = `${path}\n${credential ?? ''}`
    return signHmac(this.#secret, 'comparison\n', text).toString('base64url', 0, keyBytes)
  }
}
