import type { Label } from '#contracts/route-table.ts'
import { isTwoSided } from '#contracts/shared/row.ts'
import { formatCommand } from '#shared/format-command.ts'
import { labelsIn, type RouteScope, scopesOf } from '../route-scope.ts'
import type { RouteState } from '../route-state.ts'
import { findHolder, findKiller } from '../switches.ts'

/** Whatever keeps routes in place even if a file would move them. */
export interface Blockers {
  readonly states: ReadonlyMap<RouteScope, RouteState>
  /** The scopes in `GATEWAY_KILL`. */
  readonly configuredKills: readonly RouteScope[]
  /** Whether the route was stopped automatically and no person has moved it since. */
  readonly isStopped: (label: Label) => boolean
}

const quote = (scope: RouteScope) => (scope.includes('*') ? `'${scope}'` : scope)

const findBlockerOf = (label: Label, { states, configuredKills, isStopped }: Blockers) => {
  const killer = findKiller(label, states)
  if (killer !== null)
    return `${killer} is killed. ${formatCommand('routes', 'resume', quote(killer))} ends the kill.`
  const configured = scopesOf(label).find((scope) => configuredKills.includes(scope))
  if (configured !== undefined) return `GATEWAY_KILL contains ${configured} on this instance.`
  const holder = findHolder(label, states)
  if (holder !== null)
    return `${holder} is held. ${formatCommand('routes', 'release', quote(holder))} ends the hold.`
  return isStopped(label)
    ? `${label} was stopped automatically. Once it is fixed, continue with ${formatCommand('routes', 'ramp', label, 'PERCENT')}.`
    : null
}

/**
 * Says why a file cannot move a scope towards native, and what would help; null if it can. One blocked route blocks its
 * area.
 */
export const findBlocker = (scope: RouteScope, blockers: Blockers): string | null => {
  for (const label of labelsIn(scope).filter(isTwoSided)) {
    const found = findBlockerOf(label, blockers)
    if (found !== null) return found
  }
  return null
}
