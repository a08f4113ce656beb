import {
  advanceCohorts,
  areErrorsShared,
  countCore,
  countNative,
  createCohortCounts,
  createCohortWindow,
  isSlownessShared,
} from './cohorts.ts'
import { createCusumStream, discardPeriod, observe } from './cusum.ts'
import { DailyBaseline } from './daily-baseline.ts'
import { Expectations } from './expectations.ts'
import type { MonitorDelta } from './monitor-delta.ts'
import type { StopCause } from './stop-rates.ts'

/** What a route's state says about who serves it, as far as a monitor needs it. */
export interface RouteStep {
  /** The version of the route's state. A change of it is a new step. */
  readonly version: number
  /**
   * How many subjects native serves. Where it serves none, requests of accounts with an override are not observed: there
   * is nothing to stop. Where it serves all, there is no core to compare with.
   */
  readonly nativeShare: 'none' | 'some' | 'all'
}

export interface MonitorOptions {
  /** Milliseconds, from any start, never decreasing. */
  readonly now: () => number
  /** How long a day and a minute are. Shorter in tests that compress time. */
  readonly dayMs?: number
  readonly minuteMs?: number
}

const defaultDayMs = 24 * 60 * 60 * 1000
const defaultMinuteMs = 60_000

/**
 * Finds out whether native serves a route worse than the core does, from the two Bernoulli streams error and slow. It
 * has counts only, whatever the traffic is, and allocates nothing per request.
 */
export class RouteMonitor {
  readonly #now: () => number
  readonly #minuteMs: number
  readonly #core: DailyBaseline
  readonly #native: DailyBaseline
  readonly #expectations: Expectations
  #step: RouteStep
  #errors = createCusumStream()
  #slowness = createCusumStream()
  readonly #cohorts = createCohortWindow()
  #delta = createCohortCounts()

  constructor(step: RouteStep, { now, dayMs = defaultDayMs, minuteMs = defaultMinuteMs }: MonitorOptions) {
    this.#now = now
    this.#minuteMs = minuteMs
    this.#core = new DailyBaseline(now(), dayMs)
    this.#native = new DailyBaseline(now(), dayMs)
    this.#expectations = new Expectations(this.#core, this.#native)
    this.#step = step
    this.beginStep(step)
  }

  get version() {
    return this.#step.version
  }

  /** Whether the step is the current one. */
  isAt({ version, nativeShare }: RouteStep) {
    return version === this.#step.version && nativeShare === this.#step.nativeShare
  }

  /** Whether the core fails too often for a rate of errors to be compared: the route is to be held. */
  get isHoldRequired() {
    return this.#step.nativeShare !== 'none' && this.#expectations.errorParameters === null
  }

  /** The slow threshold of this step in milliseconds; null while it is not known. */
  get slowThresholdMs() {
    return this.#expectations.slowThresholdMs
  }

  /** Observes from the start, against what the core is like now. */
  beginStep(step: RouteStep) {
    this.#step = step
    this.#errors = createCusumStream()
    this.#slowness = createCusumStream()
    this.#delta = createCohortCounts()
    this.#expectations.reset(this.#servesAll())
  }

  /**
   * Records a request that native was tried for. `hasCoreFailed` is whether the core then served it and failed as well.
   * Returns the cause if this raises an alarm.
   */
  recordNative(failed: boolean, hasCoreFailed: boolean, durationMs: number): StopCause | null {
    if (this.#step.nativeShare === 'none') return null
    const now = this.#now()
    const hasDayBegun = this.#native.advance(now)
    this.#native.add(failed, durationMs)
    if (hasDayBegun && this.#servesAll()) this.#expectations.reset(true)
    else this.#expectations.fix()
    advanceCohorts(this.#cohorts, now, this.#minuteMs)
    const { slowThresholdMs } = this.#expectations
    const isTimed = !failed && slowThresholdMs !== null
    const isSlow = isTimed && durationMs > slowThresholdMs
    countNative(this.#cohorts.current, failed, hasCoreFailed, isTimed, isSlow)
    countNative(this.#delta, failed, hasCoreFailed, isTimed, isSlow)
    return this.#findErrorAlarm(failed) ?? (isTimed ? this.#findSlownessAlarm(isSlow) : null)
  }

  /** Records a request that only the core was tried for. */
  recordCore(failed: boolean, durationMs: number) {
    const now = this.#now()
    this.#core.advance(now)
    this.#core.add(failed, durationMs)
    if (this.#step.nativeShare === 'none') return
    this.#expectations.fix()
    advanceCohorts(this.#cohorts, now, this.#minuteMs)
    const { slowThresholdMs } = this.#expectations
    const isTimed = !failed && slowThresholdMs !== null
    const isSlow = isTimed && durationMs > slowThresholdMs
    countCore(this.#cohorts.current, failed, isTimed, isSlow)
    countCore(this.#delta, failed, isTimed, isSlow)
  }

  /** The counts since the last call; null if there are none, or native serves none. */
  takeDelta(): MonitorDelta | null {
    const counts = this.#delta
    const { version, nativeShare } = this.#step
    if (nativeShare === 'none' || counts.nativeRequests + counts.coreRequests === 0) return null
    this.#delta = createCohortCounts()
    const { goodErrorRate } = this.#expectations
    const requestsPerDay = this.#core.requests + this.#native.requests
    return { ...counts, version, nativeShare, goodErrorRate, requestsPerDay }
  }

  #servesAll() {
    return this.#step.nativeShare === 'all'
  }

  #findErrorAlarm(failed: boolean): StopCause | null {
    const parameters = this.#expectations.errorParameters
    if (!parameters || !observe(this.#errors, parameters, 1, failed ? 1 : 0)) return null
    if (!areErrorsShared(this.#errors, this.#cohorts, this.#servesAll())) return 'errors'
    discardPeriod(this.#errors)
    return null
  }

  #findSlownessAlarm(isSlow: boolean): StopCause | null {
    if (!observe(this.#slowness, this.#expectations.slowParameters, 1, isSlow ? 1 : 0)) return null
    if (!isSlownessShared(this.#slowness, this.#cohorts, this.#servesAll())) return 'slowness'
    discardPeriod(this.#slowness)
    return null
  }
}
