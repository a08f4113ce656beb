import { type Comparison, compareRates, maxWaitMs, type RatedRequests } from './compare-rates.ts'
import { type CusumParameters, createCusumStream, discardPeriod, observe } from './cusum.ts'
import { countRecent, type RouteTallies, rateOf } from './request-counts.ts'
import type { CusumStream, ErrorStream, RequestCounts } from './stored-observations.ts'

/** The verdict on an alarm. `peer` is null if only native fails. */
export interface ErrorVerdict {
  /** `timeouts` means late failures while nothing else was served, so the code may not be at fault. */
  readonly cause: 'errors' | 'timeouts'
  readonly peer: 'core' | 'past' | 'routes' | null
}

const fromPeer = (peer: NonNullable<ErrorVerdict['peer']>): ErrorVerdict => ({ cause: 'errors', peer })

/** With fewer requests, the former error rate counts as unknown. */
const minRequestsBefore = 100

/**
 * Chance explains this much evidence in about 1 of 400 cases. If the usual rate is unknown, an alarm needs evidence
 * that chance explains in only 1 of 30,000 cases.
 */
const minEvidence = 4
const minEvidenceAlone = 8

/**
 * How long an alarm about late failures must last: long enough to see whether other routes fail too and, if they do,
 * for the stall to end.
 */
const requiredMsOfLate = 2000
const requiredMsOfShared = 30_000

/** Other routes count as failing if they have at least this number and fraction of failures. */
const minErrorsOfOthers = 2
const minErrorRateOfOthers = 0.01

/** What native's failures are compared with, in addition to the core at the same time. */
export interface ErrorReference {
  /**
   * Whether the usual error rate is known. If it is not, native may in fact be failing no more often than the core
   * usually does.
   */
  readonly isRateKnown: boolean
  /** Whether only native's own past is known. An alarm then needs twice native's former rate. */
  readonly isSelfCompared: boolean
}

export const createErrorStream = (): ErrorStream => ({
  cusum: createCusumStream(),
  coreBefore: { requests: 0, errors: 0 },
  sharedBefore: 0,
  lateBefore: 0,
  othersBefore: { requests: 0, errors: 0 },
  requiredMs: 0,
  alarmedAt: null,
})

/**
 * Remembers the counts while the sum is zero, because the next requests may begin a period. Call this before adding
 * requests to any tally.
 */
export const markErrorPeriod = (stream: ErrorStream, { native, route, core, allRoutes }: RouteTallies) => {
  if (stream.cusum.sum > 0) return
  stream.coreBefore.requests = core.total.requests
  stream.coreBefore.errors = core.total.errors
  stream.sharedBefore = native.total.sharedErrors
  stream.lateBefore = native.total.lateErrors
  stream.othersBefore.requests = allRoutes.total.requests - route.total.requests
  stream.othersBefore.errors = allRoutes.total.errors - route.total.errors
  stream.requiredMs = 0
}

/** Discards the observations since the sum was last zero, because native is not alone in failing. */
export const discardErrors = (stream: ErrorStream) => {
  discardPeriod(stream.cusum)
  stream.alarmedAt = null
}

const hasHalfTheRateBefore = ({ requests, bad, requestsBefore, badBefore }: CusumStream) =>
  requestsBefore >= minRequestsBefore &&
  badBefore > 0 &&
  rateOf(badBefore, requestsBefore) >= rateOf(bad, requests) / 2

const isSharedRecently = (tallies: RouteTallies) => {
  const native = countRecent(tallies.native)
  const core = countRecent(tallies.core)
  if (native.sharedErrors > 0 && native.sharedErrors >= native.errors / 2) return true
  return core.errors > 0 && rateOf(core.errors, core.requests) >= rateOf(native.errors, native.requests) / 2
}

const compareWithCore = (
  { cusum, coreBefore }: ErrorStream,
  { requests, errors }: RequestCounts,
  isRateKnown: boolean,
): Comparison => {
  const core = { requests: requests - coreBefore.requests, bad: errors - coreBefore.errors }
  // If the core does not fail, no further comparison is needed, unless the core may only have been lucky.
  const isUsual = !isRateKnown && core.requests > 0 && cusum.bad < cusum.requests / 2
  if (core.bad <= 0 && !isUsual) return 'better'
  return compareRates(cusum, core, isRateKnown ? minEvidence : minEvidenceAlone)
}

const isFailing = (requests: number, errors: number) =>
  errors >= minErrorsOfOthers && rateOf(errors, requests) >= minErrorRateOfOthers

const doOthersFail = ({ othersBefore }: ErrorStream, { route, allRoutes }: RouteTallies) => {
  const [all, own] = [countRecent(allRoutes), countRecent(route)]
  return (
    isFailing(all.requests - own.requests, all.errors - own.errors) ||
    isFailing(
      allRoutes.total.requests - route.total.requests - othersBefore.requests,
      allRoutes.total.errors - route.total.errors - othersBefore.errors,
    )
  )
}

/** Whether neither this route's core nor any other native route has served anything since the failures began. */
const isAlone = ({ coreBefore, othersBefore }: ErrorStream, { route, core, allRoutes }: RouteTallies) =>
  core.total.requests === coreBefore.requests &&
  allRoutes.total.requests - route.total.requests === othersBefore.requests

/** Returns how long the alarm must last. The time grows when failures of other routes become known. */
const findRequiredMs = (stream: ErrorStream, tallies: RouteTallies) => {
  const late = tallies.native.total.lateErrors - stream.lateBefore
  if (late < stream.cusum.bad / 2) return 0
  return doOthersFail(stream, tallies) ? requiredMsOfShared : requiredMsOfLate
}

const decide = (
  stream: ErrorStream,
  counted: RatedRequests,
  tallies: RouteTallies,
  { isRateKnown, isSelfCompared }: ErrorReference,
  waitedMs: number,
): ErrorVerdict | null => {
  const { cusum, sharedBefore } = stream
  const shared = tallies.native.total.sharedErrors - sharedBefore
  if (isSharedRecently(tallies) || (shared > 0 && shared >= cusum.bad / 2)) return fromPeer('core')
  const comparison = compareWithCore(stream, tallies.core.total, isRateKnown)
  if (comparison === 'undecided' && waitedMs < maxWaitMs) return null
  if (comparison !== 'better') return fromPeer('core')
  stream.requiredMs = Math.max(stream.requiredMs, findRequiredMs(stream, tallies))
  if (waitedMs < stream.requiredMs) return null
  // The stall is over, and native serves again.
  if (stream.requiredMs > 0 && counted.bad === 0) return fromPeer('routes')
  if (isSelfCompared && hasHalfTheRateBefore(cusum)) return fromPeer('past')
  return { cause: stream.requiredMs > 0 && isAlone(stream, tallies) ? 'timeouts' : 'errors', peer: null }
}

/**
 * Adds requests, which are already in the tallies, to the stream, and returns the verdict on an alarm. A shared
 * dependency is to blame if the core fails too: at half native's rate, or on half of the requests that native had
 * failed on. A difference that chance explains is discarded unless it grows within 15 minutes. Late failures may come
 * from an unrelated stall, so they stop the route only if it still fails afterwards.
 */
export const observeErrors = (
  stream: ErrorStream,
  parameters: CusumParameters,
  counted: RatedRequests,
  tallies: RouteTallies,
  reference: ErrorReference,
  now: number,
): ErrorVerdict | null => {
  if (!observe(stream.cusum, parameters, counted.requests, counted.bad)) {
    stream.alarmedAt = null
    return null
  }
  stream.alarmedAt ??= now
  const verdict = decide(stream, counted, tallies, reference, now - stream.alarmedAt)
  if (verdict?.peer) discardErrors(stream)
  return verdict
}
