import type { Label } from '#contracts/route-table.ts'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import { scopesOf } from '../route-scope.ts'
import { fullWeightBp, initialStateOf, routeStages } from '../route-state.ts'
import { isMove, type StateHistory } from './state-history.ts'

/**
 * How a row of the route table is counted. `native-only` rows are never forwarded, `native-by-code` rows were native in
 * the code and have never been moved, and `killed` rows are served by the core regardless of their stage.
 */
const rowStates = ['native-only', 'native-by-code', ...routeStages.toReversed(), 'killed'] as const
type RowState = (typeof rowStates)[number]

const names: Partial<Record<RowState, string>> = { 'native-by-code': 'native in code' }

const nameRowState = (state: RowState) => names[state] ?? state

/** Returns the scope whose kill applied to the route at a time: the route itself, its area or `*`. */
export const findKillerAt = ({ stateAt }: StateHistory, label: Label, at: number) =>
  scopesOf(label).find((scope) => stateAt(scope, at).killed) ?? null

export const findHolderAt = ({ stateAt }: StateHistory, label: Label, at: number) =>
  scopesOf(label).find((scope) => stateAt(scope, at).held) ?? null

/** Whether the route's stage gives everyone to native. A kill does not change the stage. */
const isFullyNativeAt = ({ stateAt }: StateHistory, label: Label, at: number) =>
  stateAt(label, at).weightBp === fullWeightBp

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
  !isTwoSided(label) || (isFullyNativeAt(history, label, at) && findKillerAt(history, label, at) === null)

export const countRows = (history: StateHistory, at: number) => {
  const counted = labels.map((label) => classifyRow(history, label, at))
  return {
    states: rowStates.map((state) => ({
      state,
      name: nameRowState(state),
      rows: counted.filter((each) => each === state).length,
    })),
    held: labels.filter((label) => isTwoSided(label) && findHolderAt(history, label, at) !== null).length,
  }
}
