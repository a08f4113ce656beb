import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { RouteScope } from './route-scope.ts'

/**
 * How far a route has moved: the core serves it (`proxy`), also while native serves copies (`shadow`); native serves a
 * percentage of its subjects (`canary`), all (`native`), or all without the core to fall back to (`retired`).
 */
export const routeStages = ['proxy', 'shadow', 'canary', 'native', 'retired'] as const
export type RouteStage = (typeof routeStages)[number]

/** Whether a route is promoted on evidence: never, by a person who gets a recommendation, or automatically. */
export const promotionModes = ['observe', 'recommend', 'auto'] as const
export type PromotionMode = (typeof promotionModes)[number]

export const fullWeightBp = 10_000

/** The stored state of a scope. Areas and `*` have no stage: they can be killed and held, and contain routes that have. */
export interface RouteState {
  readonly scope: RouteScope
  readonly stage: RouteStage | null
  /** The percentage of subjects that native serves, in basis points: 1 to 9,999 for `canary`, otherwise 0 or 10,000. */
  readonly weightBp: number
  /** The core serves everything, whatever the stage is. */
  readonly killed: boolean
  /** Automation neither promotes nor rolls back. */
  readonly held: boolean
  readonly mode: PromotionMode
  /** The code that was running when a person or the automation chose the stage. */
  readonly evidenceKey: string | null
  /** The code that an automatic stop has found wrong; it is not promoted again automatically. */
  readonly failedEvidenceKey: string | null
  /** ISO 8601: a retirement that is a drill ends at this time, and native serves it with the core to fall back to again. */
  readonly drillUntil: string | null
  /** Increases with each change; a change names the version that it was decided on. */
  readonly version: number
}

/** The weight that belongs to a stage; null for `canary`, which has a weight of its own. */
export const weightOfStage = (stage: RouteStage): number | null => {
  if (stage === 'canary') return null
  return stage === 'native' || stage === 'retired' ? fullWeightBp : 0
}

/** What nobody has changed yet. */
export const unchangedState = {
  killed: false,
  held: false,
  mode: 'observe',
  evidenceKey: null,
  failedEvidenceKey: null,
  drillUntil: null,
  version: 0,
} as const satisfies Partial<RouteState>

/** The state of a route that was never moved: the runtime in the route table. */
export const initialStateOf = (label: Label): RouteState & { readonly stage: RouteStage } => {
  const stage = rowOf(label).runtime === 'proxy' ? 'proxy' : 'native'
  return {
    scope: label,
    stage,
    weightBp: stage === 'native' ? fullWeightBp : 0,
    ...unchangedState,
  }
}

/** Whether a route is retired for a drill only, which may have ended. */
export const isDrill = ({ stage, drillUntil }: Pick<RouteState, 'stage' | 'drillUntil'>) =>
  stage === 'retired' && drillUntil !== null

/** Whether the drill of a route has ended; `now` is in milliseconds since the epoch of Unix. */
export const hasDrillEnded = (state: Pick<RouteState, 'stage' | 'drillUntil'>, now: number) =>
  state.stage === 'retired' && state.drillUntil !== null && Date.parse(state.drillUntil) <= now
