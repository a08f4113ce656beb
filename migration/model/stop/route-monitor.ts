import { type Alarm, discardAlarm, isAlarmed } from './alarm.ts'
import { observe } from './cusum.ts'
import { DailyBaseline } from './daily-baseline.ts'
import type { DatabaseHealth } from './database-health.ts'
import { createErrorStream, markErrorPeriod, observeErrors } from './errors.ts'
import { Expectations, type UsualBehaviours } from './expectations.ts'
import { isSameStep, type ObservedStep } from './observed-step.ts'
import { type Vote, VoteCounter } from './rejections.ts'
import {
  addSuccesses,
  advanceTally,
  countRequest,
  createRequestCounts,
  createRequestTally,
  halfMinuteOf,
  lateErrorMs,
  type StreamContext,
  subtractCounts,
} from './request-counts.ts'
import { createSlownessStream, markPeriodStart, observeSlowness } from './slowness.ts'
import type { MonitorDelta, RequestTally } from './stored-observations.ts'

export interface MonitorOptions {
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number
  readonly health: DatabaseHealth
  /** The length of a day. Shorter in tests that compress time. */
  readonly dayMs?: number
}

// Shared, so that nothing is allocated per request.
const oneGood = { requests: 1, bad: 0 }
const oneBad = { requests: 1, bad: 1 }

/** Finds out from two Bernoulli streams, errors and slowness, whether native serves a route worse than the core. */
export class RouteMonitor {
  readonly #now: () => number
  readonly #health: DatabaseHealth
  readonly #coreBaseline: DailyBaseline
  readonly #nativeBaseline: DailyBaseline
  readonly #nativeVotes: VoteCounter
  readonly #coreVotes: VoteCounter
  readonly #expectations: Expectations
  readonly #context: StreamContext
  #step: ObservedStep
  #errors = createErrorStream()
  #slowness = createSlownessStream()
  #reportedNative = createRequestCounts()
  #reportedCore = createRequestCounts()

  /** `allRoutes` counts native's requests on all routes. All routes' monitors share it. */
  constructor(step: ObservedStep, allRoutes: RequestTally, options: MonitorOptions) {
    const { now, health, dayMs = 24 * 60 * 60_000 } = options
    this.#now = now
    this.#health = health
    this.#coreBaseline = new DailyBaseline(now(), dayMs)
    this.#nativeBaseline = new DailyBaseline(now(), dayMs)
    this.#nativeVotes = new VoteCounter((kind) => this.#nativeBaseline.addVote(kind))
    this.#coreVotes = new VoteCounter((kind) => this.#coreBaseline.addVote(kind))
    this.#expectations = new Expectations(this.#coreBaseline, this.#nativeBaseline)
    const native = createRequestTally()
    const isDatabaseSlow = () => health.state() === 'slow'
    this.#context = { native, route: native, core: createRequestTally(), allRoutes, isDatabaseSlow }
    this.#step = step
    this.beginStep(step)
  }

  get version() {
    return this.#step.version
  }

  isAt(step: ObservedStep) {
    return isSameStep(this.#step, step)
  }

  /** Whether the core fails too often for error rates to be compared, so the route should be held. */
  get isHoldRequired() {
    return this.#step.nativeTraffic !== 'none' && this.#expectations.isCoreFailing
  }

  get slowThresholdMs() {
    return this.#expectations.slowThresholdMs
  }

  /** Starts over for a new step. Native is compared with what is known about the core by now. */
  beginStep(step: ObservedStep) {
    this.#step = step
    this.#errors = createErrorStream()
    this.#slowness = createSlownessStream()
    this.#discardReport()
    this.#expectations.reset(this.#servesAll())
  }

  adoptStored(usual: UsualBehaviours) {
    this.#expectations.adoptStored(usual)
  }

  /** `hasCoreFailed` means that the core then failed on the request too. Returns the alarm that this raises, if any. */
  recordNative(failed: boolean, hasCoreFailed: boolean, durationMs: number, epoch: number): Alarm | null {
    if (this.#step.nativeTraffic === 'none' || epoch < this.#step.epoch) return null
    if (this.#isDatabaseFailing()) return this.#discardPeriods()
    const now = this.#now()
    const hasDayBegun = this.#nativeBaseline.advance(now)
    this.#nativeBaseline.add(failed, durationMs)
    if (hasDayBegun && this.#servesAll()) this.#expectations.reset(true)
    else this.#expectations.fix()
    const { native, allRoutes } = this.#context
    this.#advanceTallies(now)
    const isTimed = this.#isTimed(failed)
    const isSlow = isTimed && this.#isSlow(durationMs)
    markErrorPeriod(this.#errors, this.#context)
    markPeriodStart(this.#slowness, this.#context)
    const isLate = durationMs >= lateErrorMs
    countRequest(native, failed, hasCoreFailed, isLate, isTimed, isSlow)
    countRequest(allRoutes, failed, hasCoreFailed, isLate, isTimed, isSlow)
    return this.#findErrorAlarm(failed, now) ?? (isTimed ? this.#findSlownessAlarm(isSlow, now) : null)
  }

  recordCore(failed: boolean, durationMs: number, epoch: number) {
    if (this.#isDatabaseFailing()) return
    const now = this.#now()
    this.#coreBaseline.advance(now)
    this.#coreBaseline.add(failed, durationMs)
    if (this.#step.nativeTraffic === 'none' || epoch < this.#step.epoch) return
    this.#expectations.fix()
    this.#advanceTallies(now)
    const isTimed = this.#isTimed(failed)
    countRequest(this.#context.core, failed, false, false, isTimed, isTimed && this.#isSlow(durationMs))
  }

  /**
   * Adds the duration of a native success that only lowers the sums, so that `addSuccesses` can count it later in bulk.
   * If this returns false, call `recordNative` instead.
   */
  addSteadyNative(durationMs: number, epoch: number): boolean {
    if (this.#step.nativeTraffic === 'none' || !this.#isSteady(durationMs, epoch)) return false
    const { errorParameters, slowParameters } = this.#expectations
    if (isAlarmed(this.#errors, errorParameters) || isAlarmed(this.#slowness, slowParameters)) return false
    this.#nativeBaseline.addDuration(durationMs)
    return true
  }

  /** Like `addSteadyNative`, for a core success. If this returns false, call `recordCore` instead. */
  addSteadyCore(durationMs: number, epoch: number): boolean {
    if (this.#step.nativeTraffic === 'none' ? this.#isDatabaseFailing() : !this.#isSteady(durationMs, epoch))
      return false
    this.#coreBaseline.addDuration(durationMs)
    return true
  }

  /**
   * Counts the successes whose durations were added since the last call. Call it before recording or changing anything
   * else. The order of the successes does not matter, because each lowers a sum by the same amount, but never below
   * zero.
   */
  addSuccesses(native: number, core: number) {
    const now = this.#now()
    this.#advanceTallies(now)
    if (core > 0) {
      this.#coreBaseline.addRequests(core)
      this.#coreBaseline.advance(now)
      if (this.#step.nativeTraffic !== 'none') addSuccesses(this.#context.core, core)
    }
    if (native === 0) return
    this.#nativeBaseline.addRequests(native)
    if (this.#nativeBaseline.advance(now) && this.#servesAll()) this.#expectations.reset(true)
    addSuccesses(this.#context.native, native)
    addSuccesses(this.#context.allRoutes, native)
    const { errorParameters, slowParameters } = this.#expectations
    if (errorParameters) observe(this.#errors.cusum, errorParameters, native, 0)
    observe(this.#slowness.cusum, slowParameters, native, 0)
  }

  /** Only the fleet acts on this, because a client uses several instances. */
  countVote({ side, status, voter, epoch }: Vote) {
    if (epoch < this.#step.epoch || this.#isDatabaseFailing()) return
    if (side === 'core') this.#coreVotes.count(status, voter, this.#now())
    else if (this.#step.nativeTraffic !== 'none') this.#nativeVotes.count(status, voter, this.#now())
  }

  takeDelta(evidenceKey: string | null): MonitorDelta | null {
    const native = subtractCounts(this.#context.native.total, this.#reportedNative)
    const core = subtractCounts(this.#context.core.total, this.#reportedCore)
    const votes = { native: this.#nativeVotes.take(), core: this.#coreVotes.take() }
    this.#discardReport()
    const { version, epoch, nativeTraffic } = this.#step
    if (nativeTraffic === 'none' || native.requests + core.requests === 0) return null
    if (this.#isDatabaseFailing()) return null
    this.#expectations.refresh()
    const { goodErrorRate, isSelfCompared, isRateKnown } = this.#expectations
    return {
      version,
      epoch,
      evidenceKey,
      native,
      core,
      goodErrorRate,
      isSelfCompared,
      isRateKnown,
      isDatabaseSlow: this.#context.isDatabaseSlow(),
      requestsPerDay: this.#coreBaseline.requests + this.#nativeBaseline.requests,
      usual: { core: this.#coreBaseline.describe(), native: this.#nativeBaseline.describe() },
      votes: { ...votes, usual: this.#expectations.usualVotes, isAlone: this.#servesAll() },
    }
  }

  #isDatabaseFailing() {
    return this.#health.state() === 'failing'
  }

  #servesAll() {
    return this.#step.nativeTraffic === 'all'
  }

  #isSteady(durationMs: number, epoch: number) {
    const isFixed = epoch >= this.#step.epoch && this.#expectations.isFixed
    return isFixed && !this.#isSlow(durationMs) && !this.#isDatabaseFailing()
  }

  #isTimed(failed: boolean) {
    return !failed && this.#expectations.slowThresholdMs !== null
  }

  #isSlow(durationMs: number) {
    const { slowThresholdMs } = this.#expectations
    return slowThresholdMs !== null && durationMs > slowThresholdMs
  }

  #advanceTallies(now: number) {
    const halfMinute = halfMinuteOf(now)
    const { native, core, allRoutes } = this.#context
    advanceTally(native, halfMinute)
    advanceTally(core, halfMinute)
    advanceTally(allRoutes, halfMinute)
  }

  #discardReport() {
    this.#reportedNative = { ...this.#context.native.total }
    this.#reportedCore = { ...this.#context.core.total }
    this.#nativeVotes.take()
    this.#coreVotes.take()
  }

  #discardPeriods() {
    discardAlarm(this.#errors)
    discardAlarm(this.#slowness)
    return null
  }

  #findErrorAlarm(failed: boolean, now: number): Alarm | null {
    const { errorParameters } = this.#expectations
    if (!errorParameters) return null
    return observeErrors(
      this.#errors,
      errorParameters,
      failed ? oneBad : oneGood,
      this.#context,
      this.#expectations,
      now,
    )
  }

  #findSlownessAlarm(isSlow: boolean, now: number): Alarm | null {
    const { slowParameters } = this.#expectations
    return observeSlowness(this.#slowness, slowParameters, isSlow ? oneBad : oneGood, this.#context, now)
  }
}
