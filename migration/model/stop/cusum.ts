/** The rate of bad observations that is expected, and the one that must be detected. */
export interface Rates {
  readonly good: number
  readonly bad: number
}

/** What one observation changes, and the sum that is an alarm. */
export interface CusumParameters {
  readonly increase: number
  readonly decrease: number
  readonly threshold: number
}

/** A cumulative sum of log-likelihood ratios. Plain data, because the sum of the fleet is stored in the database. */
export interface CusumStream {
  sum: number
  /** Observations since the sum was last zero: those that an alarm is raised on. */
  requests: number
  bad: number
  /** Observations before that. */
  requestsBefore: number
  badBefore: number
}

/**
 * At least this many observations, on average, are between two false alarms of a stream that has the good rate
 * (Lorden: e to the threshold): ten million.
 */
const minThreshold = 16.1

/**
 * The threshold for the observations of a day. 1,000 requests per second are 86.4 million observations, of which 16.1
 * allows up to 8.8 false alarms per day in each stream if the rate is as high as the good rate. The threshold grows with
 * the traffic, so no stream exceeds one in ten days; detection then takes one observation more for each 3 it adds.
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
 * Adds observations (Page's CUSUM); returns whether the sum has reached the threshold. Of several observations at once
 * the order is unknown: the sum is then the smallest that any order results in, so false alarms are not more frequent.
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

/**
 * Whether a further observation is decided on, even one that lowers the sum: an alarm waits, or the threshold has fallen
 * below the sum.
 */
export const isAlarmed = (
  { cusum, alarmedAt }: { readonly cusum: CusumStream; readonly alarmedAt: number | null },
  parameters: CusumParameters | null,
) => alarmedAt !== null || (parameters !== null && cusum.sum >= parameters.threshold)

/** Discards what the sum was computed from, because it does not tell the sides apart. */
export const discardPeriod = (stream: CusumStream) => {
  stream.sum = 0
  stream.requests = 0
  stream.bad = 0
}
