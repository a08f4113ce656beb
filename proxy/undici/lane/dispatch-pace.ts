// Optimized: see "GET of 1 KiB, 512 connections" in bench/README.md.
/** A request of which `DispatchPace` knows when it was dispatched. */
export interface PacedRequest {
  /** The number of an iteration, set by `DispatchPace` alone; null before the dispatch and after the end. */
  dispatchedIn: number | null
}

interface PaceOptions {
  /** How many requests may be recent. */
  readonly limit: number
  /** Called when requests that had to wait may be dispatched. */
  readonly onNextIteration: () => void
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/** How many iterations of the event loop, and how long at most, a request is recent. */
const recentIterations = 16
const recentMs = 25

/**
 * Limits how many requests have been dispatched recently and have not ended.
 *
 * A loop that is busy reads the requests of many clients in one iteration, and the core responds to the first of them
 * before the last is dispatched. Then the processor limits the throughput, and further requests in progress only displace
 * each other from its caches. A core that takes long is not limited: while the loop waits for it, its iterations take
 * microseconds, and while it is busy otherwise, requests are recent for a few milliseconds only.
 */
export class DispatchPace {
  readonly #limit: number
  readonly #onNextIteration: () => void
  readonly #now: () => number
  /** Of the recent iterations, each at its number modulo theirs: its recent requests, and when it began. */
  readonly #counts = Array.from({ length: recentIterations }, () => 0)
  readonly #startedAt = Array.from({ length: recentIterations }, () => 0)
  #total = 0
  #iteration = 0
  #oldest = 0
  #isScheduled = false

  constructor({ limit, onNextIteration, now = () => performance.now() }: PaceOptions) {
    this.#limit = limit
    this.#onNextIteration = onNextIteration
    this.#now = now
    this.#startedAt[0] = now()
  }

  /** Whether further requests have to wait; `onNextIteration` follows if so. */
  mustWait(): boolean {
    if (this.#total < this.#limit) return false
    this.#schedule()
    return true
  }

  add(request: PacedRequest) {
    request.dispatchedIn = this.#iteration
    this.#change(this.#iteration, 1)
    this.#schedule()
  }

  /** To be called when a request has ended; ignores one that was not dispatched. */
  delete(request: PacedRequest) {
    const { dispatchedIn } = request
    request.dispatchedIn = null
    if (dispatchedIn !== null && dispatchedIn >= this.#oldest) this.#change(dispatchedIn, -1)
  }

  #change(iteration: number, change: number) {
    const index = iteration % recentIterations
    this.#counts[index] = (this.#counts[index] ?? 0) + change
    this.#total += change
  }

  #schedule() {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#advance)
  }

  readonly #advance = () => {
    const now = this.#now()
    this.#isScheduled = false
    this.#iteration += 1
    while (this.#oldest < this.#iteration && !this.#isRecent(this.#oldest, now)) this.#forgetOldest()
    this.#startedAt[this.#iteration % recentIterations] = now
    this.#onNextIteration()
  }

  #isRecent(iteration: number, now: number) {
    if (this.#iteration - iteration >= recentIterations) return false
    return now - (this.#startedAt[iteration % recentIterations] ?? now) < recentMs
  }

  #forgetOldest() {
    this.#change(this.#oldest, -(this.#counts[this.#oldest % recentIterations] ?? 0))
    this.#oldest += 1
  }
}
