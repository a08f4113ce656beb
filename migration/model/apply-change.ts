import type { Label } from '#contracts/route-table.ts'
import { isLabel, isTwoSided } from '#contracts/shared/row.ts'
import { hasFailed } from './failed-code.ts'
import { formatStage } from './format-state.ts'
import { endDrill, retire } from './retirement.ts'
import { isShadowable, labelsIn } from './route-scope.ts'
import {
  fullWeightBp,
  initialStateOf,
  isDrill,
  type PromotionMode,
  type RouteStage,
  type RouteState,
} from './route-state.ts'
import {
  changed,
  findObstacle,
  findUnknownInstances,
  illegal,
  type Transition,
  type TransitionConditions,
} from './transition.ts'

/** Returns the stage where the core serves everything and evidence can still be collected. */
const startStageOf = (label: Label): RouteStage => (isShadowable(label) ? 'shadow' : 'proxy')

// A route that still has its stage from the route table became native by deployment. Nobody chose its weight for
// particular code.
const isAsInTable = ({ evidenceKey, stage }: RouteState, label: Label) =>
  evidenceKey === null && stage === initialStateOf(label).stage

// Whether a live instance would serve the route natively with code that has failed or that the weight was not chosen
// for.
const hasOtherCode = (state: RouteState, label: Label, conditions: TransitionConditions) => {
  const { evidenceKey, liveEvidenceKeys, failedCode } = conditions
  if (state.weightBp === 0) return false
  const keys = evidenceKey === null ? liveEvidenceKeys : [evidenceKey, ...liveEvidenceKeys]
  return keys.some(
    (key) => hasFailed(state, key, failedCode) || (key !== state.evidenceKey && !isAsInTable(state, label)),
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

const resumeRoute = (before: RouteState, label: Label, conditions: TransitionConditions): Transition => {
  if (!before.killed) return illegal(`${label} is not killed`)
  const planned = planResume(before, label, conditions)
  return typeof planned === 'string' ? illegal(planned) : changed(before, { killed: false, ...planned })
}

/** Ends the kill of an area or of everything. `resumeWithArea` decides what happens to each route. */
const resumeArea = (before: RouteState, conditions: TransitionConditions): Transition => {
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
  if (typeof planned === 'string')
    return illegal(`${planned}; to resume the other routes, first kill ${label} on its own`)
  return Object.keys(planned).length === 0 ? null : changed(before, planned)
}

export type RouteChange =
  /** Lets native serve copies of reads. Also the way back from a canary. */
  | { readonly kind: 'shadow' }
  /** Native serves this percentage of subjects, in basis points: 0 for none, 10,000 for all. */
  | { readonly kind: 'ramp'; readonly weightBp: number }
  | { readonly kind: 'hold' }
  | { readonly kind: 'release' }
  | { readonly kind: 'kill' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'mode'; readonly mode: PromotionMode }
  /** Stops using the core for the route, even if native fails: temporarily for a drill, or for good. */
  | { readonly kind: 'retire'; readonly drillMinutes?: number | undefined }
  /** Made by automation once a drill's time is up. */
  | { readonly kind: 'end-drill' }
  /** An automatic stop. The route goes back to `shadow` or `proxy`, and its code counts as failed. */
  | { readonly kind: 'rollback' }

const stageOfWeight = (weightBp: number): RouteStage => {
  if (weightBp === 0) return 'proxy'
  return weightBp === fullWeightBp ? 'native' : 'canary'
}

// The higher stages that each stage can move to. Every stage can also move to any lower one.
const nextStages = (label: Label): Readonly<Record<RouteStage, readonly RouteStage[]>> => ({
  proxy: isShadowable(label) ? ['shadow'] : ['canary'],
  shadow: ['canary'],
  canary: ['native'],
  native: [],
  retired: [],
})

const order: readonly RouteStage[] = ['proxy', 'shadow', 'canary', 'native', 'retired']
const isForward = (from: RouteStage, to: RouteStage) => order.indexOf(to) > order.indexOf(from)

export const isTowardsNative = (
  before: RouteState,
  after: { readonly stage: RouteStage; readonly weightBp: number },
) => isForward(before.stage ?? 'proxy', after.stage) || after.weightBp > before.weightBp

const describeStages = (label: Label, from: RouteStage) => {
  const next = nextStages(label)[from]
  const words = { shadow: 'shadow', canary: 'a ramp to less than 100 %', native: 'a ramp to 100 %' } as const
  const possible = next.flatMap((stage) => (stage === 'proxy' || stage === 'retired' ? [] : [words[stage]]))
  return `the next step is ${possible.join(' or ')}`
}

const moveTo = (
  before: RouteState,
  label: Label,
  stage: RouteStage,
  weightBp: number,
  conditions: TransitionConditions,
): Transition => {
  const from = before.stage ?? 'proxy'
  if (before.killed) return illegal(`${label} is killed: resume it first`)
  if (from === 'retired') return illegal(`${label} is retired: ramp it to 100 % first`)
  if (stage === from && weightBp === before.weightBp)
    return illegal(`${label} is already in state ${formatStage({ ...before, stage: from })}`)
  if (isForward(from, stage) && !nextStages(label)[from].includes(stage))
    return illegal(`${label} cannot go from ${from} to ${stage}: ${describeStages(label, from)}`)
  const obstacle = isTowardsNative(before, { stage, weightBp }) ? findObstacle(label, conditions) : null
  if (obstacle) return illegal(obstacle)
  const evidenceKey = conditions.evidenceKey ?? before.evidenceKey
  return changed(before, { stage, weightBp, evidenceKey, drillUntil: null })
}

// Keeps the key of the code that the weight was chosen for. A route that never moved gets the key of the running code.
const kill = (before: RouteState, { evidenceKey }: TransitionConditions): Transition =>
  before.killed
    ? illegal(`${before.scope} is already killed`)
    : changed(before, {
        killed: true,
        ...(before.weightBp > 0 && { evidenceKey: before.evidenceKey ?? evidenceKey }),
      })

const rollBack = (before: RouteState, label: Label, conditions: TransitionConditions): Transition => {
  const holder = before.held ? label : conditions.heldBy
  if (holder) return illegal(`${holder} is held, so only a person can move ${label}`)
  if (before.weightBp === 0)
    return illegal(`native does not serve ${label}, so there is nothing to roll back`)
  if (before.stage === 'retired' && !isDrill(before))
    return illegal(`${label} is retired, so there is no core to roll it back to`)
  return changed(before, {
    stage: startStageOf(label),
    weightBp: 0,
    // A stop that blames no code does not clear the code that an earlier stop blamed.
    failedEvidenceKey: conditions.evidenceKey ?? before.failedEvidenceKey,
    drillUntil: null,
  })
}

const applyToLabel = (
  before: RouteState,
  label: Label,
  change: RouteChange,
  conditions: TransitionConditions,
): Transition => {
  switch (change.kind) {
    case 'shadow':
      return isShadowable(label)
        ? moveTo(before, label, 'shadow', 0, conditions)
        : illegal(`${label} cannot be shadowed, because it has effects: ramp it instead`)
    case 'ramp':
      if (!Number.isInteger(change.weightBp) || change.weightBp < 0 || change.weightBp > fullWeightBp)
        return illegal('the percentage must be between 0 and 100, with at most two decimals')
      return before.stage === 'retired' && change.weightBp === fullWeightBp
        ? changed(before, { stage: 'native', drillUntil: null })
        : moveTo(before, label, stageOfWeight(change.weightBp), change.weightBp, conditions)
    case 'resume':
      return resumeRoute(before, label, conditions)
    case 'mode':
      return before.mode === change.mode
        ? illegal(`the mode of ${label} is already ${change.mode}`)
        : changed(before, { mode: change.mode })
    case 'rollback':
      return rollBack(before, label, conditions)
    case 'retire':
      return retire(before, label, change, conditions)
    case 'end-drill':
      return endDrill(before, label, conditions)
    default:
      return applyToAnyScope(before, change, conditions)
  }
}

type SwitchKind = 'hold' | 'release' | 'kill' | 'resume'

const applyToAnyScope = (
  before: RouteState,
  { kind }: { readonly kind: SwitchKind },
  conditions: TransitionConditions,
): Transition => {
  const { scope } = before
  switch (kind) {
    case 'hold':
      return before.held ? illegal(`${scope} is already held`) : changed(before, { held: true })
    case 'release':
      return before.held ? changed(before, { held: false }) : illegal(`${scope} is not held`)
    case 'kill':
      return kill(before, conditions)
    case 'resume':
      return resumeArea(before, conditions)
  }
}

const isSwitch = (change: RouteChange): change is { readonly kind: SwitchKind } =>
  change.kind === 'hold' || change.kind === 'release' || change.kind === 'kill' || change.kind === 'resume'

export const applyChange = (
  before: RouteState,
  change: RouteChange,
  conditions: TransitionConditions,
): Transition => {
  const { scope } = before
  if (isLabel(scope))
    return isTwoSided(scope)
      ? applyToLabel(before, scope, change, conditions)
      : illegal(`${scope} is native-only: the core cannot serve it`)
  if (!isSwitch(change)) return illegal(`${change.kind} takes one route, not ${scope}`)
  return labelsIn(scope).some(isTwoSided)
    ? applyToAnyScope(before, change, conditions)
    : illegal(`all routes of ${scope} are native-only: the core cannot serve them`)
}
