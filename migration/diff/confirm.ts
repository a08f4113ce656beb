import { unavailableStatuses } from './incomparable.ts'
import { type Difference, isSevere, selectMostSevere, type Verdict } from './verdict.ts'

const transientReason = 'not present when both sides received the request again'

/** Why a native status that did not recur is not comparable. A busy machine can also cause such a status. */
export const nativeUnavailableReason = 'native was unavailable once'

const isUnavailable = ({ native }: Verdict, { kind }: Difference) =>
  kind === 'status' && native !== null && unavailableStatuses.includes(native)

// A leak stays critical even if it occurs only once.
const toTransient = (difference: Difference, verdict: Verdict): Difference => {
  if (difference.class === 'critical' || difference.class === 'failed') return difference
  return isUnavailable(verdict, difference)
    ? { ...difference, class: 'not_comparable', reason: nativeUnavailableReason }
    : { ...difference, class: 'transient', reason: transientReason }
}

export const needsConfirmation = ({ differences }: Verdict) => differences.some(isSevere)

/**
 * Combines the verdicts of two runs. A regression that only one run found becomes transient, or not comparable if
 * native was unavailable. If the second run failed, the first verdict stands.
 */
export const confirm = (first: Verdict, repeat: Verdict): Verdict => {
  if (repeat.class === 'failed') return first
  const hasSignature = (verdict: Verdict, { signature }: Difference) =>
    verdict.differences.some((difference) => difference.signature === signature)
  const differences = [
    ...first.differences.map((difference) =>
      hasSignature(repeat, difference) || !isSevere(difference) ? difference : toTransient(difference, first),
    ),
    ...repeat.differences
      .filter((difference) => !hasSignature(first, difference))
      .map((difference) => (isSevere(difference) ? toTransient(difference, repeat) : difference)),
  ]
  return { ...first, class: selectMostSevere(differences.map((difference) => difference.class)), differences }
}
