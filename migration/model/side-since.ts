import type { Label } from '#contracts/route-table.ts'
import { isDecidedByLink } from '#contracts/shared/row.ts'
import { type RouteScope, scopesOf } from './route-scope.ts'
import { initialStateOf, type RouteState } from './route-state.ts'
import type { Side } from './routing-view.ts'

type SideState = Pick<RouteState, 'stage' | 'weightBp' | 'killed'>

interface AccountOverrideSide {
  readonly side: Side
  /** Milliseconds since the epoch of Unix; null: until it is removed. */
  readonly until: number | null
}

/** What was stored at some time of the scopes of a route, and of the overrides of one account. */
interface Situation {
  readonly states: ReadonlyMap<string, SideState>
  readonly overrides: ReadonlyMap<string, AccountOverrideSide>
}

/** An entry of the audit: what was stored before it. Null: nothing. */
export type AccountMove = {
  readonly scope: string
  /** Milliseconds since the epoch of Unix. */
  readonly at: number
} & (
  | { readonly kind: 'state'; readonly before: SideState }
  | { readonly kind: 'override'; readonly before: AccountOverrideSide | null }
)

interface AccountRoute {
  readonly label: Label
  readonly bucket: number
}

const findLiveOverride = ({ label }: AccountRoute, { overrides }: Situation, at: number) =>
  scopesOf(label)
    .map((scope) => overrides.get(scope))
    .find((override) => override !== undefined && (override.until === null || override.until > at))

/** The side of one account by what was stored, with the precedence of the routing view. */
const sideAt = (route: AccountRoute, situation: Situation, at: number): Side => {
  const { states } = situation
  if (scopesOf(route.label).some((scope) => states.get(scope)?.killed)) return 'core'
  const { stage, weightBp } = states.get(route.label) ?? initialStateOf(route.label)
  if (stage === 'retired') return 'native'
  return findLiveOverride(route, situation, at)?.side ?? (route.bucket < weightBp ? 'native' : 'core')
}

// The last of the overrides that ended in this time and thereby changed the side.
const findEndedOverride = (route: AccountRoute, situation: Situation, from: number, to: number) =>
  [...situation.overrides.values()]
    .flatMap(({ until }) => (until !== null && until > from && until <= to ? [until] : []))
    .toSorted((left, right) => right - left)
    .find((end) => sideAt(route, situation, end - 1) !== sideAt(route, situation, end))

const undo = ({ states, overrides }: Situation, move: AccountMove): Situation => {
  if (move.kind === 'state') return { overrides, states: new Map([...states, [move.scope, move.before]]) }
  const others = [...overrides].filter(([scope]) => scope !== move.scope)
  return { states, overrides: new Map(move.before ? [...others, [move.scope, move.before]] : others) }
}

/**
 * Since when one side has served an account, in milliseconds since the epoch of Unix: from the present and the entries of the
 * audit, the newest first. Null if no entry has changed it, or a share link decides and not the account.
 */
export const findSideSince = (
  route: AccountRoute,
  present: Situation,
  moves: readonly AccountMove[],
  now: number,
): { readonly side: Side; readonly since: number | null } => {
  const side = sideAt(route, present, now)
  if (isDecidedByLink(route.label)) return { side, since: null }
  const scopes: readonly RouteScope[] = scopesOf(route.label)
  let situation = present
  let until = now
  for (const move of moves.filter(({ scope }) => scopes.some((each) => each === scope))) {
    const ended = findEndedOverride(route, situation, move.at, until)
    if (ended !== undefined) return { side, since: ended }
    const before = undo(situation, move)
    if (sideAt(route, before, move.at) !== side) return { side, since: move.at }
    situation = before
    until = move.at
  }
  return { side, since: findEndedOverride(route, situation, Number.NEGATIVE_INFINITY, until) ?? null }
}
