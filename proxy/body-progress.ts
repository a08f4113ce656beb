/** How slowly a client may send a body. */
export interface BodyProgressLimits {
  /** The longest pause between two pieces of the body. */
  readonly pauseTimeoutMs: number
  /** How long the average rate may be below its minimum after the start. */
  readonly gracePeriodMs: number
  /** The minimum average rate since the start of the body. */
  readonly minBytesPerS: number
}

export const defaultBodyProgressLimits: BodyProgressLimits = {
  pauseTimeoutMs: 30_000,
  gracePeriodMs: 10_000,
  minBytesPerS: 1024,
}

/**
 * Measures how fast a client sends a body, on the clock of `performance.now()`. Only time in which the gateway waits
 * for the client counts: back-pressure does not make a client late.
 */
export class BodyProgress {
  readonly #limits: BodyProgressLimits
  #receivedBytes = 0
  #waitedMs = 0
  #waitingSince: number | null = null

  constructor(limits: BodyProgressLimits) {
    this.#limits = limits
  }

  get isWaiting() {
    return this.#waitingSince !== null
  }

  /** The gateway starts to wait for the client. */
  resume(now: number) {
    this.#waitingSince ??= now
  }

  /** The gateway stops reading for now. */
  pause(now: number) {
    if (this.#waitingSince !== null) this.#waitedMs += now - this.#waitingSince
    this.#waitingSince = null
  }

  receive(bytes: number, now: number) {
    this.#receivedBytes += bytes
    if (this.#waitingSince === null) return
    this.pause(now)
    this.resume(now)
  }

  /** When the client is too slow unless more arrives before that; infinity while the gateway does not wait for it. */
  get deadline(): number {
    if (this.#waitingSince === null) return Number.POSITIVE_INFINITY
    const { pauseTimeoutMs, gracePeriodMs, minBytesPerS } = this.#limits
    const allowedMs = Math.max(gracePeriodMs, (this.#receivedBytes / minBytesPerS) * 1000)
    return this.#waitingSince + Math.min(pauseTimeoutMs, allowedMs - this.#waitedMs)
  }
}
