import { type Comparison, compareRates, maxWaitMs, type RatedRequests } from './compare-rates.ts'
import { type CusumParameters, type CusumStream, createCusumStream, discardPeriod, observe } from './cusum.ts'
import { countRecent, type RequestCounts, type RouteTallies, rateOf } from './request-counts.ts'

/** A stream of failures, and what had been counted when its sum was last zero. */
export interface ErrorStream {
  readonly cusum: CusumStream
  readonly coreBefore: { requests: number; errors: number }
  /** Native failures that the core repeated, and those that were late. */
  sharedBefore: number
  lateBefore: number
  readonly othersBefore: { requests: number; errors: number }
  /** How long the alarm must last before it stops the route: 0 unless a dependency may have stalled. */
  requiredMs: number
  /** When the sum reached the threshold, in milliseconds; null if it has not, or the alarm was decided on. */
  alarmedAt: number | null
}

/** The peer is null if native fails alone. */
export interface ErrorVerdict {
  /** `timeouts`: late failures while nobody else served anything, so the code may not be at fault. */
  readonly cause: 'errors' | 'timeouts'
  readonly peer: 'core' | 'past' | 'routes' | null
}

const fromPeer = (peer: NonNullable<ErrorVerdict['peer']>): ErrorVerdict => ({ cause: 'errors', peer })

/** Below this number of requests the former rate is not known. */
const minRequestsBefore = 100

/** Evidence that chance explains in about 1 of 400 cases; and in 1 of 30,000, where no usual rate is known. */
const minEvidence = 4
const minEvidenceAlone = 8

/**
 * How long an alarm of late failures must last: until the other routes have failed as well if they do, and until a stall
 * is over if they have.
 */
const requiredMsOfLate = 2000
const requiredMsOfShared = 30_000

/** The other routes fail as well from this number and this fraction of failures on. */
const minErrorsOfOthers = 2
const minErrorRateOfOthers = 0.01

/** What the failures of native are compared with, apart from the core of the same time. */
export interface ErrorReference {
  /** Whether the usual error rate is known. If not, native may fail as often as the core usually does. */
  readonly isRateKnown: boolean
  /** Whether nothing older is known than native itself: it must fail at twice its former rate. */
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

/** Remembers what was counted, if a period may begin. Call it before requests are added to any tally. */
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

/** Discards what the sum was computed from, because native does not fail alone. */
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
  // A core that does not fail needs no further comparison, unless it may be luck.
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

/** Whether neither the core of this route nor any other native route has served anything since the failures began. */
const isAlone = ({ coreBefore, othersBefore }: ErrorStream, { route, core, allRoutes }: RouteTallies) =>
  core.total.requests === coreBefore.requests &&
  allRoutes.total.requests - route.total.requests === othersBefore.requests

/** How long the alarm must last. It grows while the failures of other routes become known. */
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
 * Adds requests to the stream, which the tallies contain already; returns the verdict on an alarm. Its failures are those
 * of a shared dependency if the core has them as well, since the failures began or in the last minute: at half the rate of
 * native, or on half of the requests that it served after native had failed. A difference that chance explains is
 * discarded too, if it does not grow within 15 minutes. Late failures may be those of a stall that has nothing to do with
 * the route: they stop it only if it still fails after the stall, which is longer if other routes have failed as well.
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
