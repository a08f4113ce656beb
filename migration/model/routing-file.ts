import type { Label } from '#contracts/route-table.ts'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import { formatCommand } from '#shared/format-command.ts'
import { formatMinute } from '#shared/format-quantity.ts'
import { isTowardsNative, type RouteChange } from './apply-change.ts'
import { formatStage } from './format-state.ts'
import { labelsIn, type RouteScope, scopesOf } from './route-scope.ts'
import {
  findHolder,
  findKiller,
  initialStateOf,
  isDrill,
  type PromotionMode,
  type RouteStage,
  type RouteState,
} from './route-state.ts'
import type { AccountOverride, Side } from './routing-view.ts'

/** What a file says about one route. Null leaves the stored value as it is. */
export interface DescribedRoute {
  readonly label: Label
  readonly target: { readonly stage: RouteStage; readonly weightBp: number } | null
  readonly mode: PromotionMode | null
  readonly version: number
}

/** What a file says about one scope's overrides: these accounts have one, and no others do. */
interface DescribedOverrides {
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
const describedStage = (state: RouteState): RouteStage =>
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

interface Blockers {
  readonly states: ReadonlyMap<RouteScope, RouteState>
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

const findBlocker = (scope: RouteScope, blockers: Blockers): string | null => {
  for (const label of labelsIn(scope).filter(isTwoSided)) {
    const found = findBlockerOf(label, blockers)
    if (found !== null) return found
  }
  return null
}

interface ChangeSince {
  readonly who: string
  /** ISO 8601. */
  readonly at: string
  readonly action: string
}

export interface PresentSituation extends StoredSituation, Omit<Blockers, 'states'> {
  readonly changesSince: {
    readonly states: ReadonlyMap<string, ChangeSince>
    readonly overrides: ReadonlyMap<string, ChangeSince>
  }
  /** Unix time in milliseconds. */
  readonly now: number
}

export type FileChange =
  | {
      readonly kind: 'state'
      readonly scope: Label
      readonly change: RouteChange
      /** The route's version after the changes that come before this one. */
      readonly version: number
    }
  | {
      readonly kind: 'override'
      readonly scope: RouteScope
      readonly accountId: string
      readonly side: Side
      readonly until: string | null
    }
  | { readonly kind: 'remove-override'; readonly scope: RouteScope; readonly accountId: string }

interface ScopeNote {
  readonly scope: RouteScope
  readonly sentence: string
}

export interface FileDiff {
  /** Sorted by scope, so that two files applied at the same time lock rows in the same order. */
  readonly changes: readonly FileChange[]
  /** Scopes that the file cannot move, because a kill, hold or stop takes precedence. */
  readonly kept: readonly ScopeNote[]
  /** Scopes that the file would change but that also changed since the export. */
  readonly refused: readonly ScopeNote[]
  /** Scopes that changed since the export but that the file would not change. */
  readonly drifted: readonly ScopeNote[]
}

const noDiff: FileDiff = { changes: [], kept: [], refused: [], drifted: [] }

const describeSince = (since: ChangeSince | undefined) =>
  since === undefined ? '' : ` (${since.action} by ${since.who}, ${formatMinute(since.at)})`

const describeDrift = (
  scope: RouteScope,
  sentence: string,
  isChanged: boolean,
): Partial<Pick<FileDiff, 'refused' | 'drifted'>> =>
  isChanged
    ? { refused: [{ scope, sentence: `${sentence} Export the file again, then make your change.` }] }
    : { drifted: [{ scope, sentence }] }

const findStageChange = (state: RouteState, { target }: DescribedRoute): RouteChange | null => {
  if (target === null) return null
  const { stage, weightBp } = target
  if (stage === describedStage(state) && weightBp === state.weightBp) return null
  if (stage === 'shadow') return { kind: 'shadow' }
  return stage === 'retired' ? { kind: 'retire' } : { kind: 'ramp', weightBp }
}

const diffRoute = (route: DescribedRoute, present: PresentSituation): FileDiff => {
  const { label: scope, target, mode, version } = route
  const state = present.states.get(scope) ?? initialStateOf(scope)
  if (present.unreadable.includes(scope))
    return {
      ...noDiff,
      refused: [{ scope, sentence: `${scope}: this version of Crossfade cannot read the stored state.` }],
    }
  const wanted = findStageChange(state, route)
  const isBlockable = state.killed || (target !== null && isTowardsNative(state, target))
  const blocker = wanted !== null && isBlockable ? findBlocker(scope, present) : null
  const stage = formatStage(state)
  const kept = blocker === null ? [] : [{ scope, sentence: `${scope} stays ${stage}: ${blocker}` }]
  const moves = wanted === null || blocker !== null ? [] : [wanted]
  const changes = [
    ...moves,
    ...(mode === null || mode === state.mode ? [] : [{ kind: 'mode', mode } as const]),
  ]
  if (version === state.version)
    return {
      ...noDiff,
      kept,
      changes: changes.map((change, index) => ({ kind: 'state', scope, change, version: version + index })),
    }
  const now = `${state.killed ? 'killed' : stage}, version ${state.version}`
  const since = describeSince(present.changesSince.states.get(scope))
  return {
    ...noDiff,
    kept,
    ...describeDrift(scope, `${scope} has changed since the export${since}: ${now}.`, changes.length > 0),
  }
}

type OverrideChange = Exclude<FileChange, { readonly kind: 'state' }>

const listOverrideChanges = (
  scope: RouteScope,
  described: DescribedOverrides['byAccount'],
  stored: ReadonlyMap<string, AccountOverride>,
): readonly OverrideChange[] => [
  ...[...described]
    .filter(([accountId, { side, until }]) => {
      const before = stored.get(accountId)
      return before?.side !== side || (before.until?.toISOString() ?? null) !== until
    })
    .map(([accountId, { side, until }]) => ({ kind: 'override', scope, accountId, side, until }) as const),
  ...[...stored.keys()]
    .filter((accountId) => !described.has(accountId))
    .map((accountId) => ({ kind: 'remove-override', scope, accountId }) as const),
]

// Once an override to the core is removed, the percentage decides for the account.
const selectsNative = (change: OverrideChange, stored: ReadonlyMap<string, AccountOverride>) =>
  change.kind === 'override' ? change.side === 'native' : stored.get(change.accountId)?.side === 'core'

const diffOverrides = ({ scope, byAccount }: DescribedOverrides, present: PresentSituation): FileDiff => {
  const ofScope = present.overrides.filter((override) => override.scope === scope)
  const stored = new Map(ofScope.map((override) => [override.accountId, override]))
  const { ended = [], live = [] } = Object.groupBy(byAccount, ([, { until }]) =>
    until !== null && Date.parse(until) <= present.now ? 'ended' : 'live',
  )
  const wanted = listOverrideChanges(scope, new Map(live), stored)
  const blocker = findBlocker(scope, present)
  const { kept = [], changes = [] } = Object.groupBy(wanted, (change) =>
    blocker !== null && selectsNative(change, stored) ? 'kept' : 'changes',
  )
  const notes = [
    ...ended.map(
      ([accountId]) => `The override for ${accountId} on ${scope} has expired: remove it from the file.`,
    ),
    ...kept.map(({ accountId }) => `The override for ${accountId} on ${scope} stays as it is: ${blocker}`),
  ].map((sentence) => ({ scope, sentence }))
  const since = present.changesSince.overrides.get(scope)
  if (since === undefined) return { ...noDiff, kept: notes, changes }
  const sentence = `The overrides on ${scope} have changed since the export${describeSince(since)}.`
  return { ...noDiff, kept: notes, ...describeDrift(scope, sentence, changes.length > 0) }
}

const byScope = (left: { readonly scope: string }, right: { readonly scope: string }) =>
  left.scope < right.scope ? -1 : Number(left.scope > right.scope)

/** An operator could make each of these changes by hand. Does not consult the gate. */
export const diffRoutingFile = ({ routes, overrides }: RoutingFile, present: PresentSituation): FileDiff => {
  const parts = [
    ...routes.map((route) => diffRoute(route, present)),
    ...overrides.map((described) => diffOverrides(described, present)),
  ]
  return {
    changes: parts.flatMap(({ changes }) => changes).toSorted(byScope),
    kept: parts.flatMap(({ kept }) => kept),
    refused: parts.flatMap(({ refused }) => refused),
    drifted: parts.flatMap(({ drifted }) => drifted),
  }
}
