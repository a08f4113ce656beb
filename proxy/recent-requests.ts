import { DurationHistogram } from '#shared/histogram.ts'

interface Generation {
  readonly durations: DurationHistogram
  failures: number
}

// Of the requests; the slowest five of a hundred decide the percentile.
const maxFailures = 0.05

/** The durations of requests in two generations, of which the older one is dropped when a new one begins. */
export class RecentRequests {
  #current: Generation = { durations: new DurationHistogram(), failures: 0 }
  #previous: Generation = { durations: new DurationHistogram(), failures: 0 }
  startedAt: number

  constructor(now: number) {
    this.startedAt = now
  }

  get current(): DurationHistogram {
    return this.#current.durations
  }

  get total() {
    return this.#current.durations.total + this.#previous.durations.total
  }

  get isFailing() {
    return this.#current.failures + this.#previous.failures > this.total * maxFailures
  }

  add(durationMs: number) {
    this.#current.durations.add(durationMs)
  }

  /** Counts a failed request as one of this duration. */
  addFailure(durationMs: number) {
    this.#current.durations.add(durationMs)
    this.#current.failures += 1
  }

  advance(now: number) {
    const oldest = this.#previous
    oldest.durations.clear()
    oldest.failures = 0
    this.#previous = this.#current
    this.#current = oldest
    this.startedAt = now
  }

  clear(now: number) {
    this.advance(now)
    this.advance(now)
  }

  percentileMs(share: number) {
    return this.#current.durations.percentile(share, this.#previous.durations)
  }
}
