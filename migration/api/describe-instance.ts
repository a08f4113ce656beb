import type { Reader } from '#db/client/connection.ts'
import { findRoutingStates } from '#db/queries/routing/route-states.ts'
import { readInstallationSalt } from '../control/routing-state.ts'
import type { ExplainedInstance } from '../model/explain-route.ts'
import type { RouteScope } from '../model/route-scope.ts'
import type { RouteState } from '../model/route-state.ts'
import { parseRouteStates } from '../model/stored-state.ts'
import type { OperatorApiOptions } from './operator-options.ts'

export const readStates = async (db: Reader) => {
  const { epoch, states: rows } = await findRoutingStates(db)
  const { valid, invalid } = parseRouteStates(rows)
  const states: ReadonlyMap<RouteScope, RouteState> = new Map(valid.map((state) => [state.scope, state]))
  return { epoch, states, invalid, unreadable: invalid.map(({ scope }) => scope) }
}

export const describeInstance = (
  options: OperatorApiOptions,
  unreadable: readonly string[],
): ExplainedInstance => {
  const { routing, settings, evidenceKeys, unavailable, guard } = options
  const stored = routing.stored()
  return {
    states: new Map(stored?.states.map((state) => [state.scope, state])),
    isKnown: stored !== null,
    unreadable,
    configuredKills: settings.GATEWAY_KILL,
    staticStates: settings.GATEWAY_ROUTES,
    hasCore: settings.CORE_BASE_URL !== null,
    hasHandler: (label) => evidenceKeys.has(label),
    findEvidenceKey: (label) => evidenceKeys.get(label),
    findMissingSettings: (label) => unavailable.get(label),
    findStop: (label) => (guard.isStopped(label) ? 'stopped' : guard.isPaused(label) ? 'paused' : null),
    installationSalt: readInstallationSalt(settings),
  }
}
