import type { Label } from '#contracts/route-table.ts'
import { isShadowable } from './route-scope.ts'
import { initialStateOf, type RouteStage, type RouteState } from './route-state.ts'
import {
  changed,
  findObstacle,
  findUnknownInstances,
  illegal,
  type Transition,
  type TransitionConditions,
} from './transition.ts'

/** Returns the stage where the core serves everything and evidence can still be collected. */
export const startStageOf = (label: Label): RouteStage => (isShadowable(label) ? 'shadow' : 'proxy')

// A route that still has its stage from the route table became native by deployment. Nobody chose its weight for
// particular code.
const isAsInTable = ({ evidenceKey, stage }: RouteState, label: Label) =>
  evidenceKey === null && stage === initialStateOf(label).stage

// Whether a live instance would serve the route natively with code that has failed or that the weight was not chosen
// for.
const hasOtherCode = (state: RouteState, label: Label, conditions: TransitionConditions) => {
  const { evidenceKey, liveEvidenceKeys } = conditions
  if (state.weightBp === 0) return false
  const keys = evidenceKey === null ? liveEvidenceKeys : [evidenceKey, ...liveEvidenceKeys]
  return keys.some(
    (key) => key === state.failedEvidenceKey || (key !== state.evidenceKey && !isAsInTable(state, label)),
  )
}

const findResumeObstacle = (state: RouteState, label: Label, conditions: TransitionConditions) => {
  if (state.weightBp === 0) return null
  return isAsInTable(state, label) ? findUnknownInstances(conditions) : findObstacle(label, conditions)
}

const startAgain = (label: Label, { evidenceKey }: TransitionConditions) => ({
  stage: startStageOf(label),
  weightBp: 0,
  evidenceKey,
  drillUntil: null,
})

// The core served the route during the kill, so the route no longer meets the conditions for retirement.
const endRetirement = ({ stage }: RouteState) =>
  stage === 'retired' ? { stage: 'native' as const, drillUntil: null } : {}

/**
 * Native gets its former percentage back only if all live instances run the code that the percentage was chosen for.
 */
export const resumeRoute = (
  before: RouteState,
  label: Label,
  conditions: TransitionConditions,
): Transition => {
  if (!before.killed) return illegal(`${label} is not killed`)
  if (hasOtherCode(before, label, conditions))
    return changed(before, { killed: false, ...startAgain(label, conditions) })
  const obstacle = findResumeObstacle(before, label, conditions)
  return obstacle ? illegal(obstacle) : changed(before, { killed: false, ...endRetirement(before) })
}

/** Ends the kill of an area or of everything. `resumeWithArea` decides what happens to each route. */
export const resumeArea = (before: RouteState, conditions: TransitionConditions): Transition => {
  if (!before.killed) return illegal(`${before.scope} is not killed`)
  const unknown = findUnknownInstances(conditions)
  return unknown ? illegal(unknown) : changed(before, { killed: false })
}

/**
 * Applies the rules of `resumeRoute` to a route when its area or `*` is resumed. Returns null if the route returns to
 * its previous state. An illegal transition means that the kill cannot end.
 */
export const resumeWithArea = (
  before: RouteState,
  label: Label,
  conditions: TransitionConditions,
): Transition | null => {
  if (hasOtherCode(before, label, conditions)) return changed(before, startAgain(label, conditions))
  const obstacle = findResumeObstacle(before, label, conditions)
  if (obstacle === null && before.stage === 'retired') return changed(before, endRetirement(before))
  return obstacle ? illegal(`${obstacle}; kill ${label} itself to resume the others`) : null
}
