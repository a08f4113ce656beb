import * as z from 'zod'
import { isRouteScope, type RouteScope } from '../route-scope.ts'
import { isDrill, type RouteState, routeStages } from '../route-state.ts'
import { defaultStateOf } from '../stored-state.ts'

type ScopeState = Pick<RouteState, 'stage' | 'weightBp' | 'killed' | 'held'>

/** An audit entry about a scope's state. */
export interface StateChange {
  /** Unix time in milliseconds. */
  readonly at: number
  readonly who: string
  readonly scope: RouteScope
  readonly action: string
  readonly before: ScopeState
  readonly after: ScopeState
  readonly reason: string
}

export type StoredState = ScopeState & Pick<RouteState, 'drillUntil'>

// A drill ends by itself, so the route counts as native until it is retired for good.
const countDrillAsNative = ({ drillUntil, ...state }: StoredState): ScopeState =>
  isDrill({ ...state, drillUntil }) ? { ...state, stage: 'native' } : state

const State = z
  .object({
    stage: z.enum(routeStages).nullable(),
    weightBp: z.number(),
    killed: z.boolean(),
    held: z.boolean(),
    // Entries of earlier versions lack this.
    drillUntil: z.string().nullable().default(null),
  })
  .transform(countDrillAsNative)

const Entry = z.object({
  at: z.string().transform((at) => Date.parse(at)),
  who: z.string(),
  scope: z.string().refine(isRouteScope),
  action: z.string(),
  before: State,
  after: State,
  reason: z.string(),
})

/** Parses audit entries. Skips entries that this version cannot read, such as those about scopes it does not have. */
export const parseStateChanges = (entries: readonly unknown[]): readonly StateChange[] =>
  entries.flatMap((entry) => Entry.safeParse(entry).data ?? [])

/** Whether a change moved a route, rather than only switching its kill, hold or mode. */
export const isMove = ({ before, after }: StateChange) =>
  before.stage !== after.stage || before.weightBp !== after.weightBp

/** The states of all scopes, at any time in the past. */
export interface StateHistory {
  /** Oldest first. */
  readonly changes: readonly StateChange[]
  /** Lists one scope's changes, oldest first. */
  listChanges(scope: RouteScope): readonly StateChange[]
  /** Returns the state after all changes up to and including this time. */
  stateAt(scope: RouteScope, at: number): ScopeState
}

/** Creates the history that led to the current states. `changes` is sorted, oldest first. */
export const createStateHistory = (
  present: ReadonlyMap<RouteScope, StoredState>,
  changes: readonly StateChange[],
): StateHistory => {
  const byScope = Map.groupBy(changes, ({ scope }) => scope)
  const listChanges = (scope: RouteScope) => byScope.get(scope) ?? []
  return {
    changes,
    listChanges,
    stateAt: (scope, at) =>
      listChanges(scope).find((change) => change.at > at)?.before ??
      countDrillAsNative(present.get(scope) ?? defaultStateOf(scope)),
  }
}
