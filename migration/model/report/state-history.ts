import * as z from 'zod'
import type { Label } from '#contracts/route-table.ts'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import { isRouteScope, type RouteScope, scopesOf } from '../route-scope.ts'
import { fullWeightBp, initialStateOf, isDrill, type RouteState, routeStages } from '../route-state.ts'
import { AuditedState, defaultStateOf } from '../stored-state.ts'

type ScopeState = Pick<RouteState, 'stage' | 'weightBp' | 'killed' | 'held'>

export type PresentState = ScopeState & Pick<RouteState, 'drillUntil'>

// A drill ends by itself, so the route counts as native until it is retired for good.
const countDrillAsNative = ({ drillUntil, ...state }: PresentState): ScopeState =>
  isDrill({ ...state, drillUntil }) ? { ...state, stage: 'native' } : state

const State = AuditedState.transform(countDrillAsNative)

const Entry = z.object({
  at: z.string().transform((at) => Date.parse(at)),
  who: z.string(),
  scope: z.string().refine(isRouteScope),
  action: z.string(),
  before: State,
  after: State,
  reason: z.string(),
})
/** An audit entry about a scope's state. `at` is in Unix milliseconds. */
export type StateChange = Readonly<z.infer<typeof Entry>>

/** Parses audit entries. Skips entries that this version cannot read, such as those about scopes it does not have. */
export const parseStateChanges = (entries: readonly unknown[]): readonly StateChange[] =>
  entries.flatMap((entry) => Entry.safeParse(entry).data ?? [])

/** Whether a change moved a route, rather than only switching its kill, hold or mode. */
export const isMove = ({ before, after }: StateChange) =>
  before.stage !== after.stage || before.weightBp !== after.weightBp

export type StateHistory = ReturnType<typeof createStateHistory>

export const createStateHistory = (
  present: ReadonlyMap<RouteScope, PresentState>,
  changes: readonly StateChange[],
) => {
  const byScope = Map.groupBy(changes, ({ scope }) => scope)
  const listChanges = (scope: RouteScope): readonly StateChange[] => byScope.get(scope) ?? []
  return {
    /** Oldest first, as in `listChanges`. */
    changes,
    listChanges,
    /** Returns the state after all changes up to and including this time. */
    stateAt: (scope: RouteScope, at: number): ScopeState =>
      listChanges(scope).find((change) => change.at > at)?.before ??
      countDrillAsNative(present.get(scope) ?? defaultStateOf(scope)),
  }
}

// How a row of the route table is counted. `native-only` rows are never forwarded. `native-by-code` rows were native in
// the code and have never been moved. `killed` rows are served by the core, regardless of their stage.
const rowStates = ['native-only', 'native-by-code', ...routeStages.toReversed(), 'killed'] as const
type RowState = (typeof rowStates)[number]

const names: Partial<Record<RowState, string>> = { 'native-by-code': 'native in code' }

export const findKillerAt = ({ stateAt }: StateHistory, label: Label, at: number) =>
  scopesOf(label).find((scope) => stateAt(scope, at).killed) ?? null

export const findHolderAt = ({ stateAt }: StateHistory, label: Label, at: number) =>
  scopesOf(label).find((scope) => stateAt(scope, at).held) ?? null

const hasMovedBy = ({ listChanges }: StateHistory, label: Label, at: number) =>
  listChanges(label).some((change) => change.at <= at && isMove(change))

const classifyRow = (history: StateHistory, label: Label, at: number): RowState => {
  if (!isTwoSided(label)) return 'native-only'
  if (findKillerAt(history, label, at) !== null) return 'killed'
  const stage = history.stateAt(label, at).stage ?? initialStateOf(label).stage
  const isByCode = stage === 'native' && initialStateOf(label).stage === 'native'
  return isByCode && !hasMovedBy(history, label, at) ? 'native-by-code' : stage
}

/** Whether the core no longer serves the route, judging by its state. */
export const isDone = (history: StateHistory, label: Label, at: number) =>
  !isTwoSided(label) ||
  (history.stateAt(label, at).weightBp === fullWeightBp && findKillerAt(history, label, at) === null)

export const countRows = (history: StateHistory, at: number) => {
  const counted = labels.map((label) => classifyRow(history, label, at))
  return {
    states: rowStates.map((state) => ({
      state,
      name: names[state] ?? state,
      rows: counted.filter((each) => each === state).length,
    })),
    held: labels.filter((label) => isTwoSided(label) && findHolderAt(history, label, at) !== null).length,
  }
}
