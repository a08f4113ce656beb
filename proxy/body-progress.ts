export interface BodyProgressLimits {
  /** Longest pause between two pieces of the body. */
  readonly pauseTimeoutMs: number
  /** At the beginning of the body, how long the average rate may be below the minimum. */
  readonly gracePeriodMs: number
  /** Minimum average rate since the body began. */
  readonly minBytesPerS: number
}

export const defaultBodyProgressLimits: BodyProgressLimits = {
  pauseTimeoutMs: 30_000,
  gracePeriodMs: 10_000,
  minBytesPerS: 1024,
}

/**
 * Measures how fast a client sends a body, in times of `performance.now()`. Counts only the time spent waiting for the
 * client, so back-pressure never makes a client too slow.
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

  resume(now: number) {
    this.#waitingSince ??= now
  }

  pause(now: number) {
    if (this.#waitingSince !== null) this.#waitedMs += now - this.#waitingSince
    this.#waitingSince = null
  }

  /** Forgets how long it has waited since the last piece. Call this after the process was paused. */
  restartWait(now: number) {
    if (this.#waitingSince !== null) this.#waitingSince = now
  }

  receive(bytes: number, now: number) {
    this.#receivedBytes += bytes
    if (this.#waitingSince === null) return
    this.pause(now)
    this.resume(now)
  }

  /** When the client becomes too slow if nothing more arrives; infinity while the gateway is not waiting for it. */
  get deadline(): number {
    if (this.#waitingSince === null) return Number.POSITIVE_INFINITY
    const { pauseTimeoutMs, gracePeriodMs, minBytesPerS } = this.#limits
    const allowedMs = Math.max(gracePeriodMs, (this.#receivedBytes / minBytesPerS) * 1000)
    return this.#waitingSince + Math.min(pauseTimeoutMs, allowedMs - this.#waitedMs)
  }
}
