import * as z from 'zod'
import { isRouteScope, type RouteScope } from '../route-scope.ts'
import { isDrill, type RouteState, routeStages } from '../route-state.ts'
import { defaultStateOf } from '../stored-state.ts'

type ScopeState = Pick<RouteState, 'stage' | 'weightBp' | 'killed' | 'held'>

/** An entry of the audit about the state of a scope. */
export interface StateChange {
  /** Milliseconds since the epoch of Unix. */
  readonly at: number
  readonly who: string
  readonly scope: RouteScope
  readonly action: string
  readonly before: ScopeState
  readonly after: ScopeState
  readonly reason: string
}

export type StoredState = ScopeState & Pick<RouteState, 'drillUntil'>

// A drill ends by itself: the route remains native until it is retired for good.
const countDrillAsNative = ({ drillUntil, ...state }: StoredState): ScopeState =>
  isDrill({ ...state, drillUntil }) ? { ...state, stage: 'native' } : state

const State = z
  .object({
    stage: z.enum(routeStages).nullable(),
    weightBp: z.number(),
    killed: z.boolean(),
    held: z.boolean(),
    // Not in the entries of earlier versions.
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

/** Parses entries of the audit. One that this version cannot read has changed nothing that it knows. */
export const parseStateChanges = (entries: readonly unknown[]): readonly StateChange[] =>
  entries.flatMap((entry) => Entry.safeParse(entry).data ?? [])

/** Whether a change has moved a route, and not only switched its kill, its hold or its mode. */
export const isMove = ({ before, after }: StateChange) =>
  before.stage !== after.stage || before.weightBp !== after.weightBp

/** What the states of all scopes were at any time. */
export interface StateHistory {
  /** The oldest first. */
  readonly changes: readonly StateChange[]
  /** Those of one scope, the oldest first. */
  listChanges(scope: RouteScope): readonly StateChange[]
  /** The state after all changes until this time, itself included. */
  stateAt(scope: RouteScope, at: number): ScopeState
}

/** Creates the history that has led to the present states; `changes` are the oldest first. */
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
