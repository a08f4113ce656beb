import type { Label } from '#contracts/route-table.ts'
import { isDecidedByLink, isLabel, isTwoSided } from '#contracts/shared/row.ts'
import { formatCount, formatCountOf } from '#shared/format-quantity.ts'
import { describeDemotion, formatStage } from './format-state.ts'
import { labelsIn, type RouteScope } from './route-scope.ts'
import { findKiller, fullWeightBp, initialStateOf, type RouteState } from './route-state.ts'

type States = ReadonlyMap<RouteScope, RouteState>

export interface MovedRoute {
  readonly label: Label
  readonly fromBp: number
  readonly toBp: number
}

const weightIn = (states: States, label: Label) =>
  findKiller(label, states) === null ? (states.get(label) ?? initialStateOf(label)).weightBp : 0

export const listMovedRoutes = (scope: RouteScope, before: States, after: States): readonly MovedRoute[] =>
  labelsIn(scope)
    .filter(isTwoSided)
    .map((label) => ({ label, fromBp: weightIn(before, label), toBp: weightIn(after, label) }))
    .filter(({ fromBp, toBp }) => fromBp !== toBp)

export interface MovedAccounts {
  /** The number of accounts that were recorded in the last seven days. */
  readonly active: number
  readonly toNative: number
  readonly toCore: number
}

// An area's routes share their buckets, so the route that moves the most accounts also moves the accounts that the
// other routes move.
const findLargest = (moved: readonly MovedRoute[], differenceOf: (route: MovedRoute) => number) =>
  Math.max(0, ...moved.map(differenceOf)) / fullWeightBp

export const estimateMovedAccounts = (moved: readonly MovedRoute[], active: number): MovedAccounts => ({
  active,
  toNative: Math.round(active * findLargest(moved, ({ fromBp, toBp }) => toBp - fromBp)),
  toCore: Math.round(active * findLargest(moved, ({ fromBp, toBp }) => fromBp - toBp)),
})

interface PreviewedChange {
  readonly scope: RouteScope
  readonly before: RouteState
  readonly after: RouteState
  readonly demoted: readonly RouteState[]
  readonly moved: readonly MovedRoute[]
  /**
   * Null if it is not known who uses the routes. `used` names what the counted accounts used instead; null if they used
   * the routes themselves.
   */
  readonly accounts: (MovedAccounts & { readonly used: string | null }) | null
  /** How many accounts have an override to the core that this change makes ineffective. */
  readonly pinned: number
}

const describeSwitch = (name: 'killed' | 'held', { scope, ...after }: RouteState, before: RouteState) => {
  if (after[name] === before[name]) return []
  const routes = isLabel(scope) ? scope : `every two-sided route of ${scope}`
  const meaning = {
    killed: after.killed ? `The core immediately takes over ${routes}` : `${scope} is no longer killed`,
    held: `Automation ${after.held ? 'neither promotes nor rolls back' : 'may again promote and roll back'} ${routes}`,
  }
  return [`${meaning[name]}.`]
}

const describeRetirement = ({ before, after }: PreviewedChange) => {
  if (after.stage !== 'retired' || before.stage === 'retired') return []
  const meaning = 'The core no longer serves it. If native fails, the client gets an error.'
  return after.drillUntil === null
    ? [meaning]
    : [meaning, 'After the drill, native can fall back again. To end the drill sooner, ramp to 100 %.']
}

const describeState = (change: PreviewedChange) => {
  const { before, after } = change
  const [from, to] = [formatStage(before), formatStage(after)]
  return [
    ...(from === to ? [] : [`${after.scope} goes from ${from} to ${to}.`]),
    ...describeRetirement(change),
    ...describeSwitch('killed', after, before),
    ...describeSwitch('held', after, before),
    ...(after.mode === before.mode
      ? []
      : [`The mode of ${after.scope} changes from ${before.mode} to ${after.mode}.`]),
  ]
}

// Overrides to the core do not apply to a retired route.
const describePinned = (pinned: number) =>
  pinned === 0
    ? 'No account changes sides.'
    : `${formatCountOf(pinned, 'account')} ${pinned === 1 ? 'has' : 'have'} an override to the core, which will no longer apply, so native will serve ${pinned === 1 ? 'it' : 'them'}.`

const describeAccounts = ({ moved, accounts, pinned }: PreviewedChange) => {
  if (moved.length === 0) return [describePinned(pinned)]
  const noun = moved.every(({ label }) => isDecidedByLink(label)) ? 'share link' : 'account'
  if (accounts === null)
    return [`It is not known how many ${noun}s move, because none was recorded in the last 7 days.`]
  const { active, toNative, toCore, used } = accounts
  const base = `the ${formatCountOf(active, noun)} that used ${used ?? 'it'} in the last 7 days`
  const counts = [
    [toNative, 'native'],
    [toCore, 'the core'],
  ] as const
  const moving = counts.filter(([count]) => count > 0)
  if (moving.length === 0)
    return [`This ${active === 1 ? 'probably does not move' : 'moves few or none of'} ${base}.`]
  return moving.map(
    ([count, side]) => `About ${formatCount(count)} of ${base} ${count === 1 ? 'moves' : 'move'} to ${side}.`,
  )
}

export const describePreview = (change: PreviewedChange): readonly string[] => [
  ...describeState(change),
  ...change.demoted.map(
    (route) => `${route.scope} goes back to ${formatStage(route)}, because ${describeDemotion(route)}.`,
  ),
  ...(isLabel(change.scope) || change.moved.length === 0
    ? []
    : [`The percentage of ${formatCountOf(change.moved.length, 'route')} changes.`]),
  ...describeAccounts(change),
]
