import { labels, rowOf } from '#contracts/shared/row.ts'
import type { Reader } from '#db/client/connection.ts'
import { listLiveInstances } from '#db/queries/gateway-instances.ts'
import { findRoutingEpoch, listRouteStates } from '#db/queries/route-states.ts'
import { findHolder, findKiller } from '#migration/routing/explain-route.ts'
import { isShadowable, isTwoSided, type RouteScope } from '#migration/routing/route-scope.ts'
import { initialStateOf, type RouteState } from '#migration/routing/route-state.ts'
import { parseRouteStates } from '#migration/routing/stored-state.ts'
import type { OperatorApiOptions } from './operator-options.ts'

/** The stored states by scope, and the scopes whose rows are invalid. */
export const readStates = async (db: Reader) => {
  const { valid, invalid } = parseRouteStates(await listRouteStates(db))
  const states: ReadonlyMap<RouteScope, RouteState> = new Map(valid.map((state) => [state.scope, state]))
  return { states, invalid }
}

/** What the list of routes shows: every route, and the areas that have a state of their own. */
export const readRouteList = async ({ database, evidenceKeys }: OperatorApiOptions) => {
  const { reader } = database
  const epoch = await findRoutingEpoch(reader)
  const [{ states, invalid }, instances] = await Promise.all([readStates(reader), listLiveInstances(reader)])
  return {
    epoch,
    instances: {
      live: instances.length,
      adopted: instances.filter((instance) => instance.epoch >= epoch).length,
    },
    routes: labels.map((label) => {
      const { method, path, effects } = rowOf(label)
      return {
        label,
        method,
        path,
        effects,
        isTwoSided: isTwoSided(label),
        isShadowable: isShadowable(label),
        hasHandler: evidenceKeys.has(label),
        state: states.get(label) ?? initialStateOf(label),
        killedBy: findKiller(label, states),
        heldBy: findHolder(label, states),
      }
    }),
    scopes: [...states.values()].filter(({ stage }) => stage === null),
    invalid,
  }
}
