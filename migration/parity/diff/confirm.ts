import { type Difference, selectMostSevere, type Verdict } from './verdict.ts'

const transientReason = 'not present when both sides received the request again'

// A leak stays critical even if it occurs only once.
const toTransient = (difference: Difference): Difference =>
  difference.class === 'critical' || difference.class === 'failed'
    ? difference
    : { ...difference, class: 'transient', reason: transientReason }

const isSevere = ({ class: differenceClass }: Difference) =>
  differenceClass === 'regression' || differenceClass === 'critical'

/** Whether a verdict has differences that must occur twice to be confirmed. */
export const needsConfirmation = ({ differences }: Verdict) => differences.some(isSevere)

/**
 * Combines the verdicts of two runs: severe differences that occur in only one of them become transient. If the
 * second run failed, the first verdict is returned unchanged.
 */
export const confirm = (first: Verdict, repeat: Verdict): Verdict => {
  if (repeat.class === 'failed') return first
  const hasSignature = (verdict: Verdict, { signature }: Difference) =>
    verdict.differences.some((difference) => difference.signature === signature)
  const differences = [
    ...first.differences.map((difference) =>
      hasSignature(repeat, difference) || !isSevere(difference) ? difference : toTransient(difference),
    ),
    ...repeat.differences
      .filter((difference) => !hasSignature(first, difference))
      .map((difference) => (isSevere(difference) ? toTransient(difference) : difference)),
  ]
  return { ...first, class: selectMostSevere(differences.map((difference) => difference.class)), differences }
}
