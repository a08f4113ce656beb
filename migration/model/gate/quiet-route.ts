import { dayMs } from '#shared/durations.ts'
import { formatCount, formatCountOf, formatDuration, formatPercent } from '#shared/format-quantity.ts'
import type { ComparisonEvidence, GateInput, GateLimits } from './gate-input.ts'
import { countMissingComparisons, createSequentialTestState } from './sequential-test.ts'

const minutesPerDay = 1440

// Counts requests per day to both sides: the core's over the last seven days plus native's in the current step. The
// count is never below the current rate of comparisons, so that a route observed for less than seven days does not seem
// quiet. Returns null if it is unknown.
const countRequestsPerDay = ({ comparisons, step }: GateInput) => {
  if (comparisons === null) return null
  const native = (step?.nativeRequestsPerMinute ?? 0) * minutesPerDay
  return Math.max(comparisons.coreRequestsPerDay + native, comparisons.comparisonsPerMinute * minutesPerDay)
}

export interface QuietRoute {
  readonly requestsPerDay: number
}

/** Returns null if the route has enough requests for the sequential test, or if that is unknown. */
export const findQuietRoute = (input: GateInput, { test, quiet }: GateLimits): QuietRoute | null => {
  const requestsPerDay = countRequestsPerDay(input)
  const required = countMissingComparisons(createSequentialTestState(), test) ?? 0
  return requestsPerDay !== null && (requestsPerDay * quiet.compareMs) / dayMs < required
    ? { requestsPerDay }
    : null
}

/** Whether native would get too few requests at this percentage, even in the longest step. */
export const isQuietStep = (
  input: GateInput,
  weightBp: number,
  { minNativeRequests, quiet }: GateLimits,
): boolean => {
  const requestsPerDay = countRequestsPerDay(input)
  return (
    requestsPerDay !== null &&
    ((requestsPerDay * weightBp) / 10_000) * (quiet.maxStepMs / dayMs) < minNativeRequests
  )
}

export const hasPassedQuietly = (
  { test, firstAt }: Pick<ComparisonEvidence, 'test' | 'firstAt'>,
  { quiet }: Pick<GateLimits, 'quiet'>,
  now: number,
): boolean =>
  test.regressions === 0 && test.comparisons >= quiet.minComparisons && now - firstAt >= quiet.compareMs

export const describeQuiet = ({ requestsPerDay }: QuietRoute) =>
  `Quiet route, ${requestsPerDay < 1 ? 'less than 1 request' : formatCountOf(Math.round(requestsPerDay), 'request')} a day`

const leastShown = 0.0001

const formatProbability = (probability: number) =>
  probability < leastShown ? `less than ${formatPercent(leastShown)}` : formatPercent(probability)

// Computes the probability that every comparison comes out right if native is wrong for `wrongFraction` of the
// requests.
const computeRisk = (wrongFraction: number, comparisons: number) => (1 - wrongFraction) ** comparisons

export const describeRisk = (comparisons: number) => {
  const [tenth, hundredth] = [0.1, 0.01].map((wrong) => formatProbability(computeRisk(wrong, comparisons)))
  return `Too few for the usual guarantee: a fault in 10 % of requests goes unnoticed with a probability of ${tenth}, and a fault in 1 % with one of ${hundredth}.`
}

export const describeQuietProgress = (
  { test, firstAt }: ComparisonEvidence,
  { quiet }: GateLimits,
  now: number,
) => {
  const passed = formatDuration(Math.max(0, now - firstAt))
  const time = `${passed} of the required ${formatDuration(quiet.compareMs)}`
  const made =
    test.comparisons === 0
      ? 'no comparisons'
      : `${formatCountOf(test.comparisons, 'comparison')} without a regression`
  return `${made} in ${time}; at least ${formatCount(quiet.minComparisons)} comparisons are needed`
}
