import type { CusumStream } from './stored-observations.ts'

/** The rate of bad observations that is expected (`good`), and the rate that must be detected (`bad`). */
export interface Rates {
  readonly good: number
  readonly bad: number
}

/** How much one observation changes the sum, and the sum that raises an alarm. */
export interface CusumParameters {
  readonly increase: number
  readonly decrease: number
  readonly threshold: number
}

/** At the good rate, false alarms are on average at least e^16.1 (about ten million) observations apart (Lorden). */
const minThreshold = 16.1

/**
 * Returns the threshold for a day's traffic. At 1,000 requests per second, a threshold of 16.1 would allow up to 8.8
 * false alarms per stream per day. The threshold therefore grows to keep every stream at no more than one false alarm
 * in ten days. Adding 3 to it delays detection by one observation.
 */
export const thresholdFor = (requestsPerDay: number) => Math.max(minThreshold, Math.log(10 * requestsPerDay))

export const createCusumParameters = ({ good, bad }: Rates, threshold = minThreshold): CusumParameters => ({
  increase: Math.log(bad / good),
  decrease: Math.log((1 - good) / (1 - bad)),
  threshold,
})

export const createCusumStream = (): CusumStream => ({
  sum: 0,
  requests: 0,
  bad: 0,
  requestsBefore: 0,
  badBefore: 0,
})

const closePeriod = (stream: CusumStream) => {
  stream.requestsBefore += stream.requests
  stream.badBefore += stream.bad
  stream.requests = 0
  stream.bad = 0
}

/**
 * Adds observations (Page's CUSUM), and returns whether the sum has reached the threshold. If several arrive together,
 * takes the smallest sum that any order could give, so false alarms do not become more frequent.
 */
export const observe = (
  stream: CusumStream,
  { increase, decrease, threshold }: CusumParameters,
  requests: number,
  bad: number,
): boolean => {
  stream.requests += requests
  stream.bad += bad
  stream.sum = Math.max(0, stream.sum + bad * increase - (requests - bad) * decrease)
  if (stream.sum === 0) closePeriod(stream)
  return stream.sum >= threshold
}

/** Fractions of requests that exceed the slow threshold. On the core, fewer than 5 % do. */
export const slowRates: Rates = { good: 0.06, bad: 0.15 }

const defaultGoodErrorRate = 0.001

/** If the core's error rate is higher than this, even four times as many errors may be due to chance. */
export const maxGoodErrorRate = 0.12

/** Returns null if the core fails too often to be compared. At the lowest rates, six failures in a row stop a route. */
export const errorRatesFor = (usualErrorRate: number): Rates | null => {
  const good = Math.max(defaultGoodErrorRate, usualErrorRate)
  return good > maxGoodErrorRate ? null : { good, bad: Math.min(0.5, Math.max(0.02, 4 * good)) }
}

export const slowThresholdMs = (p95Ms: number) => p95Ms * 1.2 + 20

/** Returns a bound that is above the usual rate in 39 of 40 cases (Wilson's score interval). */
export const upperBoundOf = (hits: number, trials: number) => {
  const rate = hits / trials
  const square = 4 / trials
  return (rate + square / 2 + Math.sqrt(square * (rate * (1 - rate) + square / 4))) / (1 + square)
}
