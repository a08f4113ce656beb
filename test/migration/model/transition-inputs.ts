import { applyChange, type RouteChange } from '#migration/model/apply-change.ts'
import {
  initialStateOf,
  type RouteState,
  type routeStages,
  weightOfStage,
} from '#migration/model/route-state.ts'
import type { TransitionConditions } from '#migration/model/transition.ts'

export const read = 'tracks.list'
export const write = 'tracks.create'
export const conditions: TransitionConditions = {
  evidenceKey: 'key',
  instancesWithoutHandler: [],
  liveEvidenceKeys: ['key'],
  failedCode: [],
  unknownInstances: [],
}

export type Stage = (typeof routeStages)[number]

export const stateIn = (
  label: typeof read | typeof write,
  stage: Stage,
  changes: Partial<RouteState> = {},
): RouteState => ({
  ...initialStateOf(label),
  stage,
  weightBp: weightOfStage(stage) ?? 500,
  evidenceKey: 'key',
  version: 7,
  ...changes,
})

export const apply = (before: RouteState, change: RouteChange, given = conditions) =>
  applyChange(before, change, given)

export const outcomeOf = (before: RouteState, change: RouteChange, given = conditions) => {
  const transition = apply(before, change, given)
  if (transition.kind === 'illegal') return transition.reason
  const { stage, weightBp } = transition.state
  return stage === 'canary' ? `${stage} ${weightBp}` : String(stage)
}

export const shadow: RouteChange = { kind: 'shadow' }
export const ramp = (weightBp: number): RouteChange => ({ kind: 'ramp', weightBp })
export const rollback: RouteChange = { kind: 'rollback' }
