import type { Label } from '#contracts/route-table.ts'
import { isDecidedByLink } from '#contracts/shared/row.ts'
import { createRouteDecider, type RoutingInputs, type ViewedState } from './build-routing-view.ts'
import { type RouteScope, scopesOf } from './route-scope.ts'
import { type AccountOverride, chooseForAccount, groupOverrides, type RouteView } from './routing-view.ts'

export interface AccountRoute
  extends Pick<RoutingInputs, 'staticStates' | 'kills' | 'handled' | 'hasCore' | 'installationSalt'> {
  readonly label: Label
  readonly accountId: string
}

export interface Situation {
  readonly states: readonly ViewedState[]
  readonly overrides: readonly AccountOverride[]
}

/** An audit entry, with what was stored before it; null if nothing was. */
export type AccountMove = {
  readonly scope: RouteScope
  /** Unix time in milliseconds. */
  readonly at: number
} & (
  | { readonly kind: 'state'; readonly before: ViewedState }
  | { readonly kind: 'override'; readonly before: AccountOverride | null }
)

const sideAt = (route: AccountRoute, { states, overrides }: Situation, at: number): RouteView['side'] => {
  const inputs = { ...route, isKnown: true, isStale: false, states, overrides: groupOverrides(overrides) }
  const { view } = createRouteDecider({ ...inputs, now: at })(route.label)
  return view.side === 'split' ? chooseForAccount(view, route.accountId, () => at).side : view.side
}

const listExpiries = ({ states, overrides }: Situation) => [
  ...overrides.flatMap(({ until }) => (until === null ? [] : [until.getTime()])),
  ...states.flatMap(({ drillUntil }) => (drillUntil === null ? [] : [Date.parse(drillUntil)])),
]

// Returns when the end of an override or drill last changed the side in this period.
const findExpiry = (route: AccountRoute, situation: Situation, from: number, to: number) =>
  listExpiries(situation)
    .filter((end) => end > from && end <= to)
    .toSorted((left, right) => right - left)
    .find((end) => sideAt(route, situation, end - 1) !== sideAt(route, situation, end))

const replace = <T extends { readonly scope: RouteScope }>(
  items: readonly T[],
  scope: RouteScope,
  by: T | null,
) => [...items.filter((item) => item.scope !== scope), ...(by ? [by] : [])]

const undo = ({ states, overrides }: Situation, move: AccountMove): Situation =>
  move.kind === 'state'
    ? { overrides, states: replace(states, move.scope, move.before) }
    : { states, overrides: replace(overrides, move.scope, move.before) }

/**
 * Returns when an account's side last changed, in Unix milliseconds, by working backwards through the audit. Returns
 * null if no entry changed it, or if a share link decides instead. Assumes that the settings and the build never
 * changed.
 */
export const findSideSince = (
  route: AccountRoute,
  present: Situation,
  moves: readonly AccountMove[],
  now: number,
): { readonly side: RouteView['side']; readonly since: number | null } => {
  const scopes = scopesOf(route.label)
  const isInScope = ({ scope }: { readonly scope: RouteScope }) => scopes.includes(scope)
  let situation: Situation = {
    states: present.states.filter(isInScope),
    overrides: present.overrides.filter(isInScope),
  }
  const side = sideAt(route, situation, now)
  if (isDecidedByLink(route.label)) return { side, since: null }
  let until = now
  for (const move of moves.filter(isInScope)) {
    const expiry = findExpiry(route, situation, move.at, until)
    if (expiry !== undefined) return { side, since: expiry }
    const before = undo(situation, move)
    if (sideAt(route, before, move.at) !== side) return { side, since: move.at }
    situation = before
    until = move.at
  }
  return { side, since: findExpiry(route, situation, Number.NEGATIVE_INFINITY, until) ?? null }
}
