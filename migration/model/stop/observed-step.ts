import type { Label } from '#contracts/route-table.ts'
import { isTwoSided } from '#contracts/shared/row.ts'
import {
  findHolder,
  findKiller,
  fullWeightBp,
  initialStateOf,
  isDrill,
  type RouteState,
} from '../route-state.ts'

/** A route's step: how much of it native serves, and whether an alarm may change its state. */
export interface ObservedStep {
  /** Version of the route's state. A new version begins a new step. */
  readonly version: number
  /** The epoch in which the version was adopted. Requests decided in an earlier epoch do not belong to the step. */
  readonly epoch: number
  /**
   * How many subjects native serves. If none, accounts with an override are not observed either, because there is
   * nothing to stop. If all, there is no core to compare with.
   */
  readonly nativeTraffic: 'none' | 'some' | 'all'
  readonly weightBp: number
  readonly isHeld: boolean
}

const nativeTrafficOf = (state: RouteState): ObservedStep['nativeTraffic'] => {
  const { stage, weightBp, killed } = state
  // A route that is retired for good has no core to roll back to.
  if (killed || weightBp === 0 || (stage === 'retired' && !isDrill(state))) return 'none'
  return weightBp === fullWeightBp ? 'all' : 'some'
}

export const observedStepsOf = (
  handled: readonly Label[],
  { states, epoch }: { readonly states: readonly RouteState[]; readonly epoch: number },
): ReadonlyMap<Label, ObservedStep> => {
  const stateByScope = new Map(states.map((state) => [state.scope, state]))
  const stepOf = (label: Label): ObservedStep => {
    const state = stateByScope.get(label) ?? initialStateOf(label)
    const killed = findKiller(label, stateByScope) !== null
    const isHeld = findHolder(label, stateByScope) !== null
    const { version, weightBp } = state
    return { version, epoch, weightBp, nativeTraffic: nativeTrafficOf({ ...state, killed }), isHeld }
  }
  return new Map(handled.filter(isTwoSided).map((label) => [label, stepOf(label)]))
}

/** A lower epoch comes from a restored backup and begins a new step. */
export const isSameStep = (known: ObservedStep, adopted: ObservedStep) =>
  adopted.version === known.version &&
  adopted.nativeTraffic === known.nativeTraffic &&
  adopted.epoch >= known.epoch

/** Whether only the route's mode or code has changed, in the version after the known one. */
export const isSameChoice = (known: ObservedStep, knownVersion: number, adopted: ObservedStep) =>
  adopted.version === knownVersion + 1 &&
  adopted.nativeTraffic === known.nativeTraffic &&
  adopted.weightBp === known.weightBp

/** A known step keeps its epoch, because requests decided before another route's change still count. */
export const keepEpochs = (
  known: ReadonlyMap<Label, ObservedStep>,
  adopted: ReadonlyMap<Label, ObservedStep>,
): ReadonlyMap<Label, ObservedStep> =>
  new Map(
    [...adopted].map(([label, step]) => {
      const before = known.get(label)
      return [label, before && isSameStep(before, step) ? { ...step, epoch: before.epoch } : step]
    }),
  )
