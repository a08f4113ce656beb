import {
  type CusumParameters,
  createCusumParameters,
  errorRatesFor,
  maxGoodErrorRate,
  slowRates,
  slowThresholdMs,
  thresholdFor,
  upperBoundOf,
} from './cusum.ts'
import type { DailyBaseline } from './daily-baseline.ts'
import { countUsualVotes } from './rejections.ts'
import { rateOf } from './request-counts.ts'
import type { UsualBehaviour, UsualVotes } from './stored-observations.ts'

export interface UsualBehaviours {
  readonly core: UsualBehaviour | null
  readonly native: UsualBehaviour | null
}

export const noUsualBehaviours: UsualBehaviours = { core: null, native: null }

/** Where a value comes from: this instance's own observations, or the stored ones. */
type Source = 'core' | 'stored-core' | 'stored-native' | 'native'

const minTimed = 200
const minForErrorRate = 1000
const minForErrorBound = 100
// With fewer errors, nothing suggests a rate above the default. The default is also the quickest to detect code that
// always fails.
const minErrorsForBound = 5
const minVotes = 100

const readP95Ms = (usual: UsualBehaviour) => (usual.timed < minTimed ? null : usual.p95Ms)
const readErrorRate = ({ requests, errors }: UsualBehaviour) =>
  requests < minForErrorRate ? null : rateOf(errors, requests)

// The bound is never so high that error rates could not be compared, so it cannot cause the route to be held.
const errorBoundOf = ({ requests, errors }: UsualBehaviour) => {
  if (requests < minForErrorBound || errors < minErrorsForBound) return null
  return Math.min(maxGoodErrorRate, upperBoundOf(errors, requests))
}

/**
 * What is expected of native during one step: the core's usual error rate and slow threshold, fixed once enough core
 * requests are known. Until then, the expected error rate is 0.1 % or an upper bound based on what is known, and
 * nothing counts as slow. If native serves everything and nothing is known about the core, native is compared with its
 * own past.
 */
export class Expectations {
  readonly #core: DailyBaseline
  readonly #native: DailyBaseline
  #stored: UsualBehaviours = noUsualBehaviours
  #servesAll = false
  #usualErrorRate = 0
  #slowSource: Source | null = null
  #errorSource: Source | null = null
  slowThresholdMs: number | null = null
  /** Null if the expected error rate is too high for a comparison. */
  errorParameters: CusumParameters | null = null
  goodErrorRate: number | null = null
  slowParameters = createCusumParameters(slowRates)

  constructor(core: DailyBaseline, native: DailyBaseline) {
    this.#core = core
    this.#native = native
  }

  /** Whether nothing is known about the error rate except from what native itself has served since the step began. */
  get isSelfCompared() {
    return this.#servesAll && (this.#errorSource === null || this.#errorSource === 'native')
  }

  /** Whether the usual error rate itself is known, not just an upper bound. */
  get isRateKnown() {
    return this.#errorSource !== null
  }

  get isFixed() {
    return this.#slowSource !== null && this.#errorSource !== null
  }

  get usualVotes(): UsualVotes | null {
    const { core, native } = this.#stored
    const known = [this.#core.votes, core?.votes, this.#servesAll ? native?.votes : undefined]
    return known.find((votes) => votes !== undefined && countUsualVotes(votes) >= minVotes) ?? null
  }

  get isCoreFailing() {
    const isOfCore = this.#errorSource === 'core' || this.#errorSource === 'stored-core'
    return isOfCore && this.errorParameters === null
  }

  reset(servesAll: boolean) {
    this.#servesAll = servesAll
    this.#slowSource = null
    this.#errorSource = null
    this.slowThresholdMs = null
    this.#usualErrorRate = 0
    this.fix()
    this.refresh()
  }

  /** Stored baselines replace observations of native itself, which never go back further. */
  adoptStored(stored: UsualBehaviours) {
    this.#stored = stored
    if (this.#slowSource === 'native' || this.#errorSource === 'native') return this.reset(this.#servesAll)
    this.fix()
    this.refresh()
  }

  /** Updates what may change within a step: the traffic and, until it is fixed, the error rate. */
  refresh() {
    if (this.#errorSource === null) this.#usualErrorRate = this.#findErrorBound()
    this.#setParameters()
  }

  fix() {
    if (this.#slowSource === null) this.#fixSlowThreshold()
    if (this.#errorSource === null) this.#fixErrorRate()
  }

  #fixSlowThreshold() {
    const p95 = this.#find(readP95Ms)
    if (p95 === null) return
    this.#slowSource = p95.source
    this.slowThresholdMs = slowThresholdMs(p95.value)
  }

  #fixErrorRate() {
    const rate = this.#find(readErrorRate)
    if (rate === null) return
    this.#errorSource = rate.source
    this.#usualErrorRate = rate.value
    this.#setParameters()
  }

  #find(read: (usual: UsualBehaviour) => number | null) {
    const find = (source: Source, usual: UsualBehaviour | null) => {
      const value = usual && read(usual)
      return value === null ? null : { source, value }
    }
    const { core, native } = this.#stored
    const ofCore = find('core', this.#core) ?? find('stored-core', core)
    if (ofCore || !this.#servesAll) return ofCore
    return find('stored-native', native) ?? find('native', this.#native)
  }

  #findErrorBound() {
    const { core, native } = this.#stored
    const ofNative = this.#servesAll && native ? errorBoundOf(native) : null
    return errorBoundOf(this.#core) ?? (core && errorBoundOf(core)) ?? ofNative ?? 0
  }

  #setParameters() {
    const threshold = thresholdFor(this.#core.requests + this.#native.requests)
    const rates = errorRatesFor(this.#usualErrorRate)
    this.goodErrorRate = rates?.good ?? null
    this.errorParameters = rates && createCusumParameters(rates, threshold)
    this.slowParameters = createCusumParameters(slowRates, threshold)
  }
}
