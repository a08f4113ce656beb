import {
  type Alarm,
  compareRates,
  maxWaitMs,
  observeAlarm,
  type RateComparison,
  type RatedRequests,
} from './alarm.ts'
import { type CusumParameters, createCusumStream } from './cusum.ts'
import type { Expectations } from './expectations.ts'
import { countRecent, rateOf, type StreamContext } from './request-counts.ts'
import type { CusumStream, ErrorStream, RequestCounts } from './stored-observations.ts'

type ErrorReference = Pick<Expectations, 'isRateKnown' | 'isSelfCompared'>

const alarmWith = (peer: Alarm['peer']): Alarm => ({ cause: 'errors', peer })

/** With fewer requests, the route's past error rate counts as unknown. */
const minRequestsBefore = 100

// Chance alone produces this much evidence in about 1 of 400 cases. If the usual rate is unknown, an alarm needs
// evidence that chance alone produces in only 1 of 30,000 cases.
const minEvidence = 4
const minEvidenceAlone = 8

// How long an alarm about late failures (after 2 s or more) must last: long enough to see whether other routes fail too
// and, if they do, for the stall to end.
const requiredMsOfLate = 2000
const requiredMsOfShared = 30_000

/** Other routes count as failing if they have at least this number and fraction of failures. */
const minErrorsOfOthers = 2
const minErrorRateOfOthers = 0.01

export const createErrorStream = (): ErrorStream => ({
  cusum: createCusumStream(),
  coreBefore: { requests: 0, errors: 0 },
  sharedBefore: 0,
  lateBefore: 0,
  othersBefore: { requests: 0, errors: 0 },
  requiredMs: 0,
  alarmedAt: null,
})

/** Call this before adding requests to any tally, because they may begin a period of failures. */
export const markErrorPeriod = (stream: ErrorStream, { native, route, core, allRoutes }: StreamContext) => {
  if (stream.cusum.sum > 0) return
  stream.coreBefore.requests = core.total.requests
  stream.coreBefore.errors = core.total.errors
  stream.sharedBefore = native.total.sharedErrors
  stream.lateBefore = native.total.lateErrors
  stream.othersBefore.requests = allRoutes.total.requests - route.total.requests
  stream.othersBefore.errors = allRoutes.total.errors - route.total.errors
  stream.requiredMs = 0
}

const hasHalfTheRateBefore = ({ requests, bad, requestsBefore, badBefore }: CusumStream) =>
  requestsBefore >= minRequestsBefore &&
  badBefore > 0 &&
  rateOf(badBefore, requestsBefore) >= rateOf(bad, requests) / 2

const isSharedRecently = (context: StreamContext) => {
  const native = countRecent(context.native)
  const core = countRecent(context.core)
  if (native.sharedErrors > 0 && native.sharedErrors >= native.errors / 2) return true
  return core.errors > 0 && rateOf(core.errors, core.requests) >= rateOf(native.errors, native.requests) / 2
}

const compareWithCore = (
  { cusum, coreBefore }: ErrorStream,
  { requests, errors }: RequestCounts,
  isRateKnown: boolean,
): RateComparison => {
  const core = { requests: requests - coreBefore.requests, bad: errors - coreBefore.errors }
  // If the core does not fail, no further comparison is needed, unless the core may only have been lucky.
  const isUsual = !isRateKnown && core.requests > 0 && cusum.bad < cusum.requests / 2
  if (core.bad <= 0 && !isUsual) return 'better'
  return compareRates(cusum, core, isRateKnown ? minEvidence : minEvidenceAlone)
}

const isFailing = (requests: number, errors: number) =>
  errors >= minErrorsOfOthers && rateOf(errors, requests) >= minErrorRateOfOthers

const doOthersFail = ({ othersBefore }: ErrorStream, { route, allRoutes }: StreamContext) => {
  const [all, own] = [countRecent(allRoutes), countRecent(route)]
  return (
    isFailing(all.requests - own.requests, all.errors - own.errors) ||
    isFailing(
      allRoutes.total.requests - route.total.requests - othersBefore.requests,
      allRoutes.total.errors - route.total.errors - othersBefore.errors,
    )
  )
}

// Whether nothing else has been served since the failures began, neither by the core on this route nor by native on
// other routes.
const isAlone = ({ coreBefore, othersBefore }: ErrorStream, { route, core, allRoutes }: StreamContext) =>
  core.total.requests === coreBefore.requests &&
  allRoutes.total.requests - route.total.requests === othersBefore.requests

/** Returns how long the alarm must last. The time grows when failures of other routes become known. */
const findRequiredMs = (stream: ErrorStream, context: StreamContext) => {
  const late = context.native.total.lateErrors - stream.lateBefore
  if (late < stream.cusum.bad / 2) return 0
  return doOthersFail(stream, context) ? requiredMsOfShared : requiredMsOfLate
}

const decide = (
  stream: ErrorStream,
  counted: RatedRequests,
  context: StreamContext,
  { isRateKnown, isSelfCompared }: ErrorReference,
  waitedMs: number,
): Alarm | null => {
  const { cusum, sharedBefore } = stream
  const shared = context.native.total.sharedErrors - sharedBefore
  if (isSharedRecently(context) || (shared > 0 && shared >= cusum.bad / 2)) return alarmWith('core')
  const comparison = compareWithCore(stream, context.core.total, isRateKnown)
  if (comparison === 'undecided' && waitedMs < maxWaitMs) return null
  if (comparison !== 'better') return alarmWith('core')
  stream.requiredMs = Math.max(stream.requiredMs, findRequiredMs(stream, context))
  if (waitedMs < stream.requiredMs) return null
  // The stall is over, and native serves again.
  if (stream.requiredMs > 0 && counted.bad === 0) return alarmWith('routes')
  if (isSelfCompared && hasHalfTheRateBefore(cusum)) return alarmWith('past')
  return { cause: stream.requiredMs > 0 && isAlone(stream, context) ? 'timeouts' : 'errors', peer: null }
}

/**
 * Adds requests to the stream (the tallies already contain them) and returns the alarm they raise, if any. A shared
 * dependency is to blame if the core fails too: at half native's rate or more, or on at least half of the requests that
 * native had failed on. A difference that chance may explain is discarded unless it grows within 15 minutes. Late
 * failures may come from an unrelated stall, so they stop the route only if it still fails afterwards.
 */
export const observeErrors = (
  stream: ErrorStream,
  parameters: CusumParameters,
  counted: RatedRequests,
  context: StreamContext,
  reference: ErrorReference,
  now: number,
): Alarm | null =>
  observeAlarm(stream, parameters, counted, now, (waitedMs) =>
    decide(stream, counted, context, reference, waitedMs),
  )
