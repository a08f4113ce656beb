import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { type RouteScope, scopesOf } from './route-scope.ts'

/**
 * How far a route has moved. `proxy`: the core serves it. `shadow`: the core serves it, and native serves copies.
 * `canary`: native serves a percentage of subjects. `native`: native serves everyone. `retired`: native serves everyone
 * and never falls back to the core.
 */
export const routeStages = ['proxy', 'shadow', 'canary', 'native', 'retired'] as const
export type RouteStage = (typeof routeStages)[number]

/**
 * How a route is promoted once the evidence allows it: not at all (`observe`), by a person after a recommendation
 * (`recommend`), or automatically (`auto`).
 */
export const promotionModes = ['observe', 'recommend', 'auto'] as const
export type PromotionMode = (typeof promotionModes)[number]

export const fullWeightBp = 10_000

/** A scope's stored state. Areas and `*` have no stage, but can be killed and held. */
export interface RouteState {
  readonly scope: RouteScope
  readonly stage: RouteStage | null
  /** Percentage of subjects that native serves, in basis points: 1 to 9,999 for `canary`, otherwise 0 or 10,000. */
  readonly weightBp: number
  /** Whether the core serves everything, regardless of the stage. */
  readonly killed: boolean
  /** If true, automation neither promotes the route nor rolls it back. */
  readonly held: boolean
  readonly mode: PromotionMode
  /** The code that was running when a person or automation chose the stage. */
  readonly evidenceKey: string | null
  /** The code blamed by an automatic stop. Automation does not promote it again. */
  readonly failedEvidenceKey: string | null
  /** When the drill ends (ISO 8601) and native may fall back to the core again; null if there is no drill. */
  readonly drillUntil: string | null
  /** Increases with each change. A change names the version it is based on. */
  readonly version: number
}

export const weightOfStage = (stage: RouteStage): number | null => {
  if (stage === 'canary') return null
  return stage === 'native' || stage === 'retired' ? fullWeightBp : 0
}

export const unchangedState = {
  killed: false,
  held: false,
  mode: 'observe',
  evidenceKey: null,
  failedEvidenceKey: null,
  drillUntil: null,
  version: 0,
} as const satisfies Partial<RouteState>

/** Returns the state of a route that has never been moved. It follows from the route's runtime in the route table. */
export const initialStateOf = (label: Label): RouteState & { readonly stage: RouteStage } => {
  const stage = rowOf(label).runtime === 'proxy' ? 'proxy' : 'native'
  return {
    scope: label,
    stage,
    weightBp: stage === 'native' ? fullWeightBp : 0,
    ...unchangedState,
  }
}

/** Whether a route is only retired for a drill, even if the drill has ended. */
export const isDrill = ({ stage, drillUntil }: Pick<RouteState, 'stage' | 'drillUntil'>) =>
  stage === 'retired' && drillUntil !== null

export const hasDrillEnded = (state: Pick<RouteState, 'stage' | 'drillUntil'>, now: number) =>
  state.stage === 'retired' && state.drillUntil !== null && Date.parse(state.drillUntil) <= now

type States<Name extends 'killed' | 'held'> = ReadonlyMap<RouteScope, Pick<RouteState, Name>>

export const findKiller = (label: Label, states: States<'killed'>): RouteScope | null =>
  scopesOf(label).find((scope) => states.get(scope)?.killed) ?? null

export const findHolder = (label: Label, states: States<'held'>): RouteScope | null =>
  scopesOf(label).find((scope) => states.get(scope)?.held) ?? null
