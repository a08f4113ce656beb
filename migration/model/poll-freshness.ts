import { withTimeout } from '#shared/with-timeout.ts'

interface FreshnessOptions {
  /** How old the last poll may be for requests to be decided from it. */
  readonly staleAfterMs: number
  /** Starts a poll, after the one that runs. */
  readonly requestPoll: () => void
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

const waitTimeoutMs = 500

/**
 * Makes requests wait for the routing state of a process that was paused: what it has polled before may be outdated by any
 * time. All requests share one wait. While the database is unavailable none waits, once a poll or a wait has failed.
 */
export class PollFreshness {
  readonly #options: Required<FreshnessOptions>
  /** Requests wait from then on. */
  #freshUntil = Number.POSITIVE_INFINITY
  #tickedAt: number
  #continuedAt = Number.NEGATIVE_INFINITY
  #isUnavailable = false
  #waiting: Promise<void> | null = null
  #awaited: { readonly from: number; readonly resolve: () => void } | null = null

  constructor({ staleAfterMs, requestPoll, now = () => performance.now() }: FreshnessOptions) {
    this.#options = { staleAfterMs, requestPoll, now }
    this.#tickedAt = now()
  }

  /** Null if a request can be decided at once, otherwise what it waits for: 500 ms at most. */
  wait(): Promise<void> | null {
    const now = this.#options.now()
    if (now <= this.#freshUntil) return null
    this.#waiting ??= this.#waitForPoll(now).finally(() => {
      this.#waiting = null
    })
    return this.#waiting
  }

  /** To be called several times within `staleAfterMs`, whatever the polls do. */
  tick() {
    const now = this.#options.now()
    this.#notePause(now)
    this.#tickedAt = now
    if (this.#isUnavailable) this.#freshUntil = now + this.#options.staleAfterMs
  }

  /** A poll that was started at `startedAt` has ended. */
  recordPoll(startedAt: number, hasFailed: boolean) {
    const now = this.#options.now()
    this.#notePause(now)
    if (!hasFailed) {
      this.#isUnavailable = false
      this.#freshUntil = startedAt + this.#options.staleAfterMs
    } else if (startedAt >= this.#continuedAt) this.#markUnavailable(now)
    if (this.#awaited && startedAt >= this.#awaited.from) this.#awaited.resolve()
  }

  // The event loop may read what has arrived for requests and polls before it runs the timer that ticks.
  #notePause(now: number) {
    if (now - this.#tickedAt <= this.#options.staleAfterMs) return
    this.#tickedAt = now
    this.#continuedAt = now
    this.#isUnavailable = false
  }

  #markUnavailable(now: number) {
    // Not before the first poll has succeeded: until then the state is unknown.
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
    const now = this.#options.now()
    if (now > this.#freshUntil) this.#markUnavailable(now)
  }
}
