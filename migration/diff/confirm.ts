import { type Difference, selectGravest, type Verdict } from './verdict.ts'

const asked = 'gone when both sides were asked again'

// What was once shown to the outside was shown.
const once = (difference: Difference): Difference =>
  difference.class === 'critical' || difference.class === 'failed'
    ? difference
    : { ...difference, class: 'transient', reason: asked }

const isGrave = ({ class: grade }: Difference) => grade === 'regression' || grade === 'critical'

/** Whether a mismatch has to be seen twice before it counts. */
export const needsConfirmation = ({ differences }: Verdict) => differences.some(isGrave)

/**
 * What stands of a verdict after the same was asked of both sides again. Where that failed nothing is confirmed
 * and nothing is taken back.
 */
export const confirm = (first: Verdict, again: Verdict): Verdict => {
  if (again.class === 'failed') return first
  const isIn = (verdict: Verdict, { signature }: Difference) =>
    verdict.differences.some((difference) => difference.signature === signature)
  const differences = [
    ...first.differences.map((difference) =>
      isIn(again, difference) || !isGrave(difference) ? difference : once(difference),
    ),
    ...again.differences
      .filter((difference) => !isIn(first, difference))
      .map((difference) => (isGrave(difference) ? once(difference) : difference)),
  ]
  return { ...first, class: selectGravest(differences.map((difference) => difference.class)), differences }
}
