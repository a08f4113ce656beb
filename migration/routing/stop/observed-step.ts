import type { Label } from '#contracts/route-table.ts'
import { isLabel } from '#contracts/shared/row.ts'
import { areaOf, isTwoSided } from '../route-scope.ts'
import { fullWeightBp, initialStateOf, type RouteState } from '../route-state.ts'
import type { RouteStep } from './route-monitor.ts'

/** The step of a route, and whether an alarm may change its state. */
export interface ObservedStep extends RouteStep {
  readonly isHeld: boolean
}

const nativeShareOf = ({ stage, weightBp, killed }: RouteState): RouteStep['nativeShare'] => {
  // Without the core to fall back to, nothing can be stopped.
  if (killed || weightBp === 0 || stage === 'retired') return 'none'
  return weightBp === fullWeightBp ? 'all' : 'some'
}

/** The steps of the two-sided routes among `handled`, for the stored states. */
export const observedStepsOf = (
  handled: readonly Label[],
  states: readonly RouteState[],
): ReadonlyMap<Label, ObservedStep> => {
  const stateByScope = new Map<string, RouteState>(states.map((state) => [state.scope, state]))
  const stepOf = (label: Label): ObservedStep => {
    const state = stateByScope.get(label) ?? initialStateOf(label)
    const scopes = [state, stateByScope.get(`${areaOf(label)}.*`), stateByScope.get('*')]
    const killed = scopes.some((scope) => scope?.killed)
    const isHeld = scopes.some((scope) => scope?.held)
    return { version: state.version, nativeShare: nativeShareOf({ ...state, killed }), isHeld }
  }
  return new Map(handled.filter(isTwoSided).map((label) => [label, stepOf(label)]))
}

/** The labels of an object that has them as its keys. */
export const labelsOf = (byLabel: { readonly [L in Label]?: unknown }): readonly Label[] =>
  Object.keys(byLabel).filter(isLabel)
