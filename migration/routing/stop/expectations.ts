import { type CusumParameters, createCusumParameters, thresholdFor } from './cusum.ts'
import type { DailyBaseline } from './daily-baseline.ts'
import { errorRatesFor, slowRates, slowThresholdMs } from './stop-rates.ts'

const minTimed = 200
const minForErrorRate = 1000

/**
 * What is expected of native during one step: the usual error rate and the slow threshold of the core, fixed when the step
 * begins or as soon as enough of its requests are known. Until then an error rate of 0.1 % is expected, and no response
 * counts as slow. Once the core has too few requests left, because native serves all, they are native's own.
 */
export class Expectations {
  readonly #core: DailyBaseline
  readonly #native: DailyBaseline
  #servesAll = false
  #isErrorRateFixed = false
  /** Null while it is not known. */
  slowThresholdMs: number | null = null
  /** Null if the core fails too often for a rate of errors to be compared. */
  errorParameters: CusumParameters | null = null
  goodErrorRate: number | null = null
  slowParameters = createCusumParameters(slowRates)

  constructor(core: DailyBaseline, native: DailyBaseline) {
    this.#core = core
    this.#native = native
  }

  /** Discards what was expected, and fixes it again. */
  reset(servesAll: boolean) {
    this.#servesAll = servesAll
    this.#isErrorRateFixed = false
    this.slowThresholdMs = null
    this.#setErrorRate(0)
    this.fix()
  }

  /** Fixes what is not fixed yet and is known by now. */
  fix() {
    if (this.slowThresholdMs === null) {
      const baseline = this.#baselineWith(minTimed)
      if (baseline.timed >= minTimed) this.slowThresholdMs = slowThresholdMs(baseline.p95Ms())
    }
    if (this.#isErrorRateFixed) return
    const baseline = this.#baselineWith(minForErrorRate)
    if (baseline.requests < minForErrorRate) return
    this.#isErrorRateFixed = true
    this.#setErrorRate(baseline.errorRate())
  }

  #baselineWith(minRequests: number) {
    return this.#servesAll && this.#core.requests < minRequests ? this.#native : this.#core
  }

  #setErrorRate(usual: number) {
    const threshold = thresholdFor(this.#core.requests + this.#native.requests)
    const rates = errorRatesFor(usual)
    this.goodErrorRate = rates?.good ?? null
    this.errorParameters = rates && createCusumParameters(rates, threshold)
    this.slowParameters = createCusumParameters(slowRates, threshold)
  }
}
