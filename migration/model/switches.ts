import type { Label } from '#contracts/route-table.ts'
import { type RouteScope, scopesOf } from './route-scope.ts'
import type { RouteState } from './route-state.ts'

type States = ReadonlyMap<RouteScope, Pick<RouteState, 'killed' | 'held'>>

/** Returns the narrowest scope that kills a route in the stored state; null if none does. */
export const findKiller = (label: Label, states: States): RouteScope | null =>
  scopesOf(label).find((scope) => states.get(scope)?.killed) ?? null

/** Returns the narrowest scope that holds a route; null if none does. */
export const findHolder = (label: Label, states: States): RouteScope | null =>
  scopesOf(label).find((scope) => states.get(scope)?.held) ?? null
