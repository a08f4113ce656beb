import type { Label } from '#contracts/route-table.ts'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import type { RouteScope } from '../route-scope.ts'
import {
  initialStateOf,
  isDrill,
  type PromotionMode,
  type RouteStage,
  type RouteState,
} from '../route-state.ts'
import type { AccountOverride, Side } from '../routing-view.ts'

/** What a file says about one route. Null leaves the stored value as it is. */
export interface DescribedRoute {
  readonly label: Label
  readonly target: { readonly stage: RouteStage; readonly weightBp: number } | null
  readonly mode: PromotionMode | null
  readonly version: number
}

/** What a file says about one scope's overrides: these accounts have one, and no others do. */
export interface DescribedOverrides {
  readonly scope: RouteScope
  readonly byAccount: ReadonlyMap<string, { readonly side: Side; readonly until: string | null }>
}

/** A file about some routes. Routes that it does not mention stay as they are. */
export interface RoutingFile {
  readonly epoch: number
  readonly routes: readonly DescribedRoute[]
  readonly overrides: readonly DescribedOverrides[]
}

export interface StoredSituation {
  readonly epoch: number
  readonly states: ReadonlyMap<RouteScope, RouteState>
  readonly unreadable: readonly string[]
  /** Overrides that have not ended. */
  readonly overrides: readonly AccountOverride[]
}

/** Returns the stage as a file shows it. A drill counts as `native`, because it ends by itself. */
export const describedStage = (state: RouteState): RouteStage =>
  isDrill(state) ? 'native' : (state.stage ?? 'proxy')

const writeRoute = (state: RouteState) => {
  const { mode, version, weightBp } = state
  const stage = describedStage(state)
  return { stage, ...(stage === 'canary' && { weight: weightBp / 100 }), mode, version }
}

const writeOverride = ({ side, until }: AccountOverride) =>
  until === null ? side : { side, until: until.toISOString() }

export const writeRoutingFile = ({ epoch, states, unreadable, overrides }: StoredSituation) => ({
  epoch,
  routes: Object.fromEntries(
    labels
      .filter((label) => isTwoSided(label) && !unreadable.includes(label))
      .map((label) => [label, writeRoute(states.get(label) ?? initialStateOf(label))]),
  ),
  overrides: Object.fromEntries(
    [...Map.groupBy(overrides, ({ scope }) => scope)].map(([scope, ofScope]) => [
      scope,
      Object.fromEntries(ofScope.map((override) => [override.accountId, writeOverride(override)])),
    ]),
  ),
})
