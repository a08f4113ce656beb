import { type CusumParameters, observe } from './cusum.ts'
import { rateOf } from './request-counts.ts'
import type { AlarmStream } from './stored-observations.ts'

/**
 * The reason for an alarm. `timeouts` means that requests failed late (after 2 s or more) while nothing else was
 * served, so the code may not be at fault.
 */
export type StopCause = 'errors' | 'timeouts' | 'slowness' | 'rejections'

/** An alarm. It is void if a peer has the same problem. */
export interface Alarm {
  readonly cause: StopCause
  /** What else has the same problem: the core, other routes, the database polls, or the same route in the past. */
  readonly peer: 'core' | 'routes' | 'database' | 'past' | null
}

/** Discards the observations since the sum was last zero, because they do not concern native alone. */
export const discardAlarm = (stream: AlarmStream) => {
  stream.cusum.sum = 0
  stream.cusum.requests = 0
  stream.cusum.bad = 0
  stream.alarmedAt = null
}

/** While the sum is above the threshold, `decide` finds the alarm. A void alarm's observations are discarded. */
export const observeAlarm = (
  stream: AlarmStream,
  parameters: CusumParameters,
  { requests, bad }: RatedRequests,
  now: number,
  decide: (waitedMs: number) => Alarm | null,
): Alarm | null => {
  if (!observe(stream.cusum, parameters, requests, bad)) {
    stream.alarmedAt = null
    return null
  }
  stream.alarmedAt ??= now
  const alarm = decide(now - stream.alarmedAt)
  if (alarm?.peer) discardAlarm(stream)
  return alarm
}

/** Whether the next observation forces a decision even if it lowers the sum. */
export const isAlarmed = ({ cusum, alarmedAt }: AlarmStream, parameters: CusumParameters | null) =>
  alarmedAt !== null || (parameters !== null && cusum.sum >= parameters.threshold)

export interface RatedRequests {
  readonly requests: number
  readonly bad: number
}

export type RateComparison = 'similar' | 'better' | 'undecided'

const logLikelihood = ({ requests, bad }: RatedRequests) => {
  const good = requests - bad
  return (bad > 0 ? bad * Math.log(bad / requests) : 0) + (good > 0 ? good * Math.log(good / requests) : 0)
}

// Returns the log-likelihood ratio: how much better two separate rates explain the observations than one common rate.
const evidenceOfDifference = (own: RatedRequests, peer: RatedRequests) =>
  logLikelihood(own) +
  logLikelihood(peer) -
  logLikelihood({ requests: own.requests + peer.requests, bad: own.bad + peer.bad })

/**
 * Compares a peer's rate of bad requests with native's. The result is `similar` if the peer's rate is at least half of
 * native's, and `better` if it is lower by more than chance explains: two separate rates are e^`minEvidence` times as
 * likely as a common one.
 */
export const compareRates = (
  own: RatedRequests,
  peer: RatedRequests,
  minEvidence: number,
): RateComparison => {
  if (peer.bad > 0 && rateOf(peer.bad, peer.requests) >= rateOf(own.bad, own.requests) / 2) return 'similar'
  return evidenceOfDifference(own, peer) >= minEvidence ? 'better' : 'undecided'
}

/** How long an alarm waits at most for a comparison with its peers. */
export const maxWaitMs = 15 * 60_000
