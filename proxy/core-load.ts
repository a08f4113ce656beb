import { DurationHistogram } from '#shared/histogram.ts'

interface CoreLoadOptions {
  /**
   * How long requests are collected for the present percentile. Longer if fewer than `minWindowRequests` have been
   * collected by then.
   */
  readonly windowMs?: number
  readonly minWindowRequests?: number
  /** The usual percentile covers the last one to two of these periods. */
  readonly usualPeriodMs?: number
  readonly minUsualRequests?: number
  /** How long requests are collected before there is a usual percentile. */
  readonly minUsualAgeMs?: number
  readonly now?: () => number
}

const defaultOptions: Required<CoreLoadOptions> = {
  windowMs: 2000,
  minWindowRequests: 50,
  usualPeriodMs: 86_400_000,
  minUsualRequests: 200,
  minUsualAgeMs: 60_000,
  now: () => performance.now(),
}

/** A window ends after this time at the latest, because older requests no longer count as present. */
const maxWindowMs = 300_000

/** How long the core must have been mostly slow, or mostly fast, before that becomes the usual load. */
const sustainedMs = 600_000

/** The core counts as slow if the present percentile exceeds this many times the usual one. */
const slowFactor = 1.5

/** Percentiles of the time until the core's response head, in milliseconds, rounded up by at most 5 %. */
interface CoreLoadReading {
  /** Covers one to two days, except for times when the core was unusually slow or fast. Null in the first minute. */
  readonly usualP95Ms: number | null
  /** Covers the last few seconds, or the last 50 to 100 requests. Null if there were fewer in five minutes. */
  readonly presentP95Ms: number | null
  /** Whether the present percentile exceeds 1.5 times the usual one, or more than 5 % of present requests failed. */
  readonly isSlow: boolean
}

interface Generation {
  readonly durations: DurationHistogram
  failures: number
}

// Share of requests that may fail: 5 %, because the present percentile is the 95th.
const maxFailures = 0.05

/** Request durations in two generations. Starting a new generation drops the older one. */
class RecentRequests {
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

type Deviation = 'slow' | 'fast'

/**
 * Compares the core's present response time with its usual one, in bounded memory. Slow and fast windows do not count
 * towards the usual time; otherwise a slow core would soon look normal. They count once they have lasted long enough.
 * Failures never count.
 */
export class CoreLoad {
  readonly #options: Required<CoreLoadOptions>
  readonly #present: RecentRequests
  readonly #usual: RecentRequests
  #usualSince: number | null = null
  readonly #sustained = new DurationHistogram()
  #sustainedMs = 0
  #deviation: Deviation | null = null

  constructor(options: CoreLoadOptions = {}) {
    this.#options = { ...defaultOptions, ...options }
    const now = this.#options.now()
    this.#present = new RecentRequests(now)
    this.#usual = new RecentRequests(now)
  }

  /** `now` is read from the clock given in the options. */
  record(timeToHeadMs: number, now: number) {
    this.#endWindowIfDue(now)
    this.#present.add(timeToHeadMs)
  }

  /** Counts a request that got no response as if its response had begun after `timeoutMs`. */
  recordFailure(timeoutMs: number, now: number) {
    this.#endWindowIfDue(now)
    this.#present.addFailure(timeoutMs)
  }

  read(): CoreLoadReading {
    const now = this.#options.now()
    this.#endWindowIfDue(now)
    return this.#compare(now)
  }

  /** Covers one to two days, like `usualP95Ms`; null in the first minute. */
  usualP99Ms(): number | null {
    return this.#readUsual(0.99, this.#options.now())
  }

  #readUsual(share: number, now: number): number | null {
    const { minUsualRequests, minUsualAgeMs } = this.#options
    const isKnown =
      this.#usual.total >= minUsualRequests &&
      this.#usualSince !== null &&
      now - this.#usualSince >= minUsualAgeMs
    return isKnown ? this.#usual.percentileMs(share) : null
  }

  #compare(now: number): CoreLoadReading {
    const { minWindowRequests } = this.#options
    const usualP95Ms = this.#readUsual(0.95, now)
    if (this.#present.total < minWindowRequests) return { usualP95Ms, presentP95Ms: null, isSlow: false }
    const presentP95Ms = this.#present.percentileMs(0.95)
    const exceedsUsual = usualP95Ms !== null && presentP95Ms > usualP95Ms * slowFactor
    return { usualP95Ms, presentP95Ms, isSlow: exceedsUsual || this.#present.isFailing }
  }

  #endWindowIfDue(now: number) {
    const { windowMs, minWindowRequests } = this.#options
    const { current, startedAt } = this.#present
    const ageMs = now - startedAt
    const isTooOld = ageMs >= maxWindowMs
    if (ageMs < windowMs || (current.total < minWindowRequests && !isTooOld)) return
    this.#learn(current, Math.min(ageMs, maxWindowMs), now)
    if (isTooOld) this.#present.clear(now)
    else this.#present.advance(now)
  }

  #learn(window: DurationHistogram, windowMs: number, now: number) {
    if (this.#present.isFailing) return
    const reading = this.#compare(now)
    const deviation = this.#deviationOf(reading)
    if (deviation !== null) return this.#addToSustained(window, windowMs, deviation, now)
    if (reading.presentP95Ms !== null) this.#sustainedMs = Math.max(0, this.#sustainedMs - windowMs)
    if (this.#sustainedMs === 0) this.#sustained.clear()
    if (now - this.#usual.startedAt >= this.#options.usualPeriodMs) this.#usual.advance(now)
    this.#usualSince ??= now
    this.#usual.current.addAll(window)
  }

  #deviationOf({ usualP95Ms, presentP95Ms, isSlow }: CoreLoadReading): Deviation | null {
    if (isSlow) return 'slow'
    const isKnown = usualP95Ms !== null && presentP95Ms !== null
    return isKnown && presentP95Ms * slowFactor < usualP95Ms ? 'fast' : null
  }

  #addToSustained(window: DurationHistogram, windowMs: number, deviation: Deviation, now: number) {
    if (deviation !== this.#deviation) {
      this.#deviation = deviation
      this.#sustainedMs = 0
      this.#sustained.clear()
    }
    this.#sustainedMs += windowMs
    this.#sustained.addAll(window)
    const { minUsualRequests } = this.#options
    if (this.#sustainedMs < sustainedMs || this.#sustained.total < minUsualRequests) return
    this.#usual.clear(now)
    this.#usual.current.addAll(this.#sustained)
    this.#sustained.clear()
    this.#sustainedMs = 0
  }
}
