import { DurationHistogram } from '#shared/histogram.ts'
import { addUsualVote, createUsualVotes, type RejectionKind, sumUsualVotes } from './rejections.ts'
import type { UsualBehaviour, UsualVotes } from './stored-observations.ts'

interface Generation {
  readonly durations: DurationHistogram
  readonly votes: UsualVotes
  requests: number
  errors: number
}

const createGeneration = (): Generation => ({
  durations: new DurationHistogram(),
  votes: createUsualVotes(),
  requests: 0,
  errors: 0,
})

/** How one side usually serves a route, in bounded memory. Based on the requests of the last one to two days. */
export class DailyBaseline implements UsualBehaviour {
  readonly #dayMs: number
  #current = createGeneration()
  #previous = createGeneration()
  #startedAt: number

  constructor(now: number, dayMs: number) {
    this.#startedAt = now
    this.#dayMs = dayMs
  }

  /** Begins a new day once the current one is over. Returns whether it did. */
  advance(now: number): boolean {
    if (now - this.#startedAt < this.#dayMs) return false
    this.#previous = this.#current
    this.#current = createGeneration()
    this.#startedAt = now
    return true
  }

  /** Counts a request. Ignores a failed request's duration, which is not representative. */
  add(failed: boolean, durationMs: number) {
    this.#current.requests += 1
    if (failed) this.#current.errors += 1
    else this.#current.durations.add(durationMs)
  }

  /** Adds the duration of a success that `addRequests` counts later. */
  addDuration(durationMs: number) {
    this.#current.durations.add(durationMs)
  }

  addVote(kind: RejectionKind | null) {
    addUsualVote(this.#current.votes, kind)
  }

  addRequests(requests: number) {
    this.#current.requests += requests
  }

  get requests() {
    return this.#current.requests + this.#previous.requests
  }

  get timed() {
    return this.#current.durations.total + this.#previous.durations.total
  }

  get votes() {
    return sumUsualVotes([this.#current.votes, this.#previous.votes])
  }

  get errors() {
    return this.#current.errors + this.#previous.errors
  }

  /** Returns a percentile of the durations in milliseconds; NaN if there are none. */
  percentileMs(fraction: number) {
    return this.#current.durations.percentile(fraction, this.#previous.durations)
  }

  get p95Ms() {
    return this.timed === 0 ? 0 : this.percentileMs(0.95)
  }

  describe(): UsualBehaviour {
    const { requests, errors, timed, votes, p95Ms } = this
    return { requests, errors, timed, votes, p95Ms }
  }
}
