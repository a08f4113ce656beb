import type { Label } from '#contracts/route-table.ts'
import { isDecidedByLink, isTwoSided } from '#contracts/shared/row.ts'
import { findNarrowest } from './build-routing-view.ts'
import { type EffectiveState, type ExplainedRoute, type ExplainedSide, explainSide } from './explain-side.ts'
import { describeStaticState, describeUnreadable, formatStage } from './format-state.ts'
import { scopesOf } from './route-scope.ts'
import { findHolder, hasDrillEnded, initialStateOf, type RouteState } from './route-state.ts'

export interface Explanation extends Pick<ExplainedSide, 'side' | 'bucket'> {
  /** Most urgent first: kills and stops in force, then what was found, then why this side serves the route. */
  readonly sentences: readonly string[]
}

const describeState = (label: Label, state: RouteState) => {
  const origin = state.version === 0 ? 'as in the route table' : `version ${state.version}`
  return `${label}: ${formatStage(state)} (${origin}).`
}

const describeHolds = (
  { label, states, findEvidenceKey }: ExplainedRoute,
  { failedEvidenceKey }: RouteState,
) => {
  const holder = findHolder(label, states)
  const isStopped = failedEvidenceKey !== null && failedEvidenceKey === findEvidenceKey(label)
  return [
    ...(holder ? [`${holder} is held: automation neither promotes nor rolls it back.`] : []),
    ...(isStopped
      ? [
          `The code running here (${failedEvidenceKey}) was stopped automatically. Automation will not promote it again.`,
        ]
      : []),
  ]
}

const describeOtherStop = ({ label, findEvidenceKey }: ExplainedRoute, { failedEvidenceKey }: RouteState) =>
  failedEvidenceKey === null || failedEvidenceKey === findEvidenceKey(label)
    ? []
    : [`A different version of the code (${failedEvidenceKey}) was stopped automatically in the past.`]

const describeIgnored = ({ label, account, link }: ExplainedRoute) => {
  if (isDecidedByLink(label))
    return account === null
      ? []
      : [
          'The share link, not the account, decides which side serves this route. Use --link with its slug or token.',
        ]
  return link === null
    ? []
    : ['The account, not a share link, decides which side serves this route. Use --account.']
}

/** `mismatches` are sentences about what comparisons of the route's code found. */
export const explainRoute = (route: ExplainedRoute, mismatches: readonly string[] = []): Explanation => {
  const { label, states, staticStates, unreadable } = route
  const state = states.get(label) ?? initialStateOf(label)
  const fixed = isTwoSided(label) ? findNarrowest(staticStates, label) : undefined
  const stage = hasDrillEnded(state, route.now.getTime())
    ? 'native'
    : (state.stage ?? initialStateOf(label).stage)
  const effective: EffectiveState = fixed ? { ...fixed, drillUntil: null } : { ...state, stage }
  const { why, inForce, side, bucket } = explainSide(route, effective)
  const sentences = [
    ...inForce,
    ...describeHolds(route, state),
    ...mismatches,
    ...(isTwoSided(label) ? [describeState(label, state)] : []),
    ...describeUnreadable(scopesOf(label).filter((scope) => unreadable.includes(scope))),
    ...(fixed ? [describeStaticState(fixed)] : []),
    ...why,
    ...describeIgnored(route),
    ...describeOtherStop(route, state),
  ]
  return { side, bucket, sentences }
}
