import { createSleepAwareClock } from '#shared/sleep-aware-clock.ts'
import { withTimeout } from '#shared/with-timeout.ts'

interface FreshnessOptions {
  /** How old the last poll may be before requests have to wait. */
  readonly staleAfterMs: number
  /** Starts a poll. If one is running, starts another when it ends. */
  readonly requestPoll: () => void
}

const waitTimeoutMs = 500

/**
 * Makes requests wait after the process was paused or the machine slept, because the last polled routing state could be
 * arbitrarily old. All requests share one wait. While the database is down, no request waits once a poll or wait has
 * failed.
 */
export class PollFreshness {
  /** The clock for the times of polls, in milliseconds. It also advances while the machine sleeps. */
  readonly now = createSleepAwareClock()
  readonly #options: FreshnessOptions
  #freshUntil = Number.POSITIVE_INFINITY
  #tickedAt: number
  #continuedAt = Number.NEGATIVE_INFINITY
  #isUnavailable = false
  #waiting: Promise<void> | null = null
  #awaited: { readonly from: number; readonly resolve: () => void } | null = null

  constructor(options: FreshnessOptions) {
    this.#options = options
    this.#tickedAt = this.now()
  }

  /** Returns null if a request can be decided immediately; otherwise a promise that resolves within 500 ms. */
  wait(): Promise<void> | null {
    const now = this.now()
    if (now <= this.#freshUntil) return null
    this.#waiting ??= this.#waitForPoll(now).finally(() => {
      this.#waiting = null
    })
    return this.#waiting
  }

  /** Call this several times in every `staleAfterMs`, whether or not polls succeed. */
  tick() {
    const now = this.now()
    this.#notePause(now)
    this.#tickedAt = now
    if (this.#isUnavailable) this.#freshUntil = now + this.#options.staleAfterMs
  }

  recordPoll(startedAt: number, hasFailed: boolean) {
    const now = this.now()
    this.#notePause(now)
    if (!hasFailed) {
      this.#isUnavailable = false
      this.#freshUntil = startedAt + this.#options.staleAfterMs
    } else if (startedAt >= this.#continuedAt) this.#markUnavailable(now)
    if (this.#awaited && startedAt >= this.#awaited.from) this.#awaited.resolve()
  }

  // Polls call this too, because after a pause the event loop may run them before the timer that calls `tick`.
  #notePause(now: number) {
    if (now - this.#tickedAt <= this.#options.staleAfterMs) return
    this.#tickedAt = now
    this.#continuedAt = now
    this.#isUnavailable = false
  }

  #markUnavailable(now: number) {
    // Does not apply before the first successful poll, because the state is unknown until then.
    if (this.#freshUntil === Number.POSITIVE_INFINITY) return
    this.#isUnavailable = true
    this.#freshUntil = now + this.#options.staleAfterMs
  }

  async #waitForPoll(from: number) {
    const polled = new Promise<void>((resolve) => {
      this.#awaited = { from, resolve }
    })
    this.#options.requestPoll()
    await withTimeout(waitTimeoutMs, polled, () => {})
    const now = this.now()
    if (now > this.#freshUntil) this.#markUnavailable(now)
  }
}
