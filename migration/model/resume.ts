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

/**
 * Returns what changes, besides the kill, when native may serve a route again. Native gets its former percentage back
 * only if all live instances run the code that the percentage was chosen for. Returns a string if the kill cannot end.
 */
const planResume = (
  before: RouteState,
  label: Label,
  conditions: TransitionConditions,
): Partial<RouteState> | string => {
  const { evidenceKey } = conditions
  if (hasOtherCode(before, label, conditions))
    return { stage: startStageOf(label), weightBp: 0, evidenceKey, drillUntil: null }
  const obstacle = findResumeObstacle(before, label, conditions)
  if (obstacle !== null) return obstacle
  // The core served the route during the kill, so the route no longer meets the conditions for retirement.
  return before.stage === 'retired' ? { stage: 'native', drillUntil: null } : {}
}

export const resumeRoute = (
  before: RouteState,
  label: Label,
  conditions: TransitionConditions,
): Transition => {
  if (!before.killed) return illegal(`${label} is not killed`)
  const planned = planResume(before, label, conditions)
  return typeof planned === 'string' ? illegal(planned) : changed(before, { killed: false, ...planned })
}

/** Ends the kill of an area or of everything. `resumeWithArea` decides what happens to each route. */
export const resumeArea = (before: RouteState, conditions: TransitionConditions): Transition => {
  if (!before.killed) return illegal(`${before.scope} is not killed`)
  const unknown = findUnknownInstances(conditions)
  return unknown ? illegal(unknown) : changed(before, { killed: false })
}

/** Returns null if the route returns to its previous state. An illegal transition means that the kill cannot end. */
export const resumeWithArea = (
  before: RouteState,
  label: Label,
  conditions: TransitionConditions,
): Transition | null => {
  const planned = planResume(before, label, conditions)
  if (typeof planned === 'string') return illegal(`${planned}; kill ${label} itself to resume the others`)
  return Object.keys(planned).length === 0 ? null : changed(before, planned)
}
