import { rateOf } from './request-counts.ts'

/** One side's requests, and how many of them were bad. */
export interface RatedRequests {
  readonly requests: number
  readonly bad: number
}

/** How a peer's rate compares with native's. */
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
