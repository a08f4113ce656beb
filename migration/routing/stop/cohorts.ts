import type { CusumStream } from './cusum.ts'

/** Requests of one route that both sides served in the same period. */
export interface CohortCounts {
  nativeRequests: number
  nativeErrors: number
  /** Native failures after which the core served the same request, and failed as well. */
  sharedErrors: number
  /** Native requests whose duration counts. */
  nativeTimed: number
  nativeSlow: number
  coreRequests: number
  coreErrors: number
  coreTimed: number
  coreSlow: number
}

/** The counts of the current half minute and of the one before: between 30 and 60 seconds. */
export interface CohortWindow {
  slot: number
  current: CohortCounts
  previous: CohortCounts
}

const slotIntervalMs = 30_000

export const createCohortCounts = (): CohortCounts => ({
  nativeRequests: 0,
  nativeErrors: 0,
  sharedErrors: 0,
  nativeTimed: 0,
  nativeSlow: 0,
  coreRequests: 0,
  coreErrors: 0,
  coreTimed: 0,
  coreSlow: 0,
})

export const createCohortWindow = (): CohortWindow => ({
  slot: 0,
  current: createCohortCounts(),
  previous: createCohortCounts(),
})

/** Removes the counts that are older than the window. `minuteMs` is what counts as a minute. */
export const advanceCohorts = (window: CohortWindow, now: number, minuteMs = 2 * slotIntervalMs) => {
  const slot = Math.floor((2 * now) / minuteMs)
  if (slot === window.slot) return
  window.previous = slot === window.slot + 1 ? window.current : createCohortCounts()
  window.current = createCohortCounts()
  window.slot = slot
}

export const countNative = (
  counts: CohortCounts,
  failed: boolean,
  hasCoreFailed: boolean,
  isTimed: boolean,
  isSlow: boolean,
) => {
  counts.nativeRequests += 1
  if (failed) counts.nativeErrors += 1
  if (failed && hasCoreFailed) counts.sharedErrors += 1
  if (isTimed) counts.nativeTimed += 1
  if (isSlow) counts.nativeSlow += 1
}

export const countCore = (counts: CohortCounts, failed: boolean, isTimed: boolean, isSlow: boolean) => {
  counts.coreRequests += 1
  if (failed) counts.coreErrors += 1
  if (isTimed) counts.coreTimed += 1
  if (isSlow) counts.coreSlow += 1
}

/** Adds the counts of `added` to `counts`. */
export const addCohortCounts = (counts: CohortCounts, added: CohortCounts) => {
  counts.nativeRequests += added.nativeRequests
  counts.nativeErrors += added.nativeErrors
  counts.sharedErrors += added.sharedErrors
  counts.nativeTimed += added.nativeTimed
  counts.nativeSlow += added.nativeSlow
  counts.coreRequests += added.coreRequests
  counts.coreErrors += added.coreErrors
  counts.coreTimed += added.coreTimed
  counts.coreSlow += added.coreSlow
}

const sumOfWindow = ({ current, previous }: CohortWindow) => {
  const sum = { ...current }
  addCohortCounts(sum, previous)
  return sum
}

const rateOf = (bad: number, requests: number) => (requests === 0 ? 0 : bad / requests)

const halfOf = (rate: number) => rate / 2

/** Below this number of requests the day's own rate is not known. */
const minRequestsBefore = 100

const hasHalfTheRateBefore = ({ requests, bad, requestsBefore, badBefore }: CusumStream) =>
  requestsBefore >= minRequestsBefore &&
  rateOf(badBefore, requestsBefore) >= halfOf(rateOf(bad, requests)) &&
  badBefore > 0

/**
 * Whether the failures are those of a dependency that both sides share, such as the database: in the same minute, the
 * core failed at half the rate of native, or on half of the requests that it served after native had failed. Where native
 * serves everything, there is no core to compare with: then native must fail at twice the rate of before.
 */
export const areErrorsShared = (stream: CusumStream, window: CohortWindow, servesAll: boolean): boolean => {
  const { nativeRequests, nativeErrors, sharedErrors, coreRequests, coreErrors } = sumOfWindow(window)
  if (sharedErrors > 0 && sharedErrors >= halfOf(nativeErrors)) return true
  if (servesAll) return hasHalfTheRateBefore(stream)
  return coreErrors > 0 && rateOf(coreErrors, coreRequests) >= halfOf(rateOf(nativeErrors, nativeRequests))
}

/** Whether the core is as slow as native: see `areErrorsShared`. */
export const isSlownessShared = (stream: CusumStream, window: CohortWindow, servesAll: boolean): boolean => {
  if (servesAll) return hasHalfTheRateBefore(stream)
  const { nativeTimed, nativeSlow, coreTimed, coreSlow } = sumOfWindow(window)
  return coreSlow > 0 && rateOf(coreSlow, coreTimed) >= halfOf(rateOf(nativeSlow, nativeTimed))
}
