import type { Label } from '#contracts/route-table.ts'
import { isLabel, isTwoSided } from '#contracts/shared/row.ts'
import type { ExplainedInstance } from './explain-route.ts'
import { describeStaticState, describeUnreadable, formatStage } from './format-state.ts'
import { labelsIn, type RouteScope, scopesOf } from './route-scope.ts'
import { initialStateOf } from './route-state.ts'

interface ExplainedArea
  extends Pick<ExplainedInstance, 'states' | 'unreadable' | 'configuredKills' | 'staticStates'> {
  /** `area.*` or `*`. */
  readonly scope: RouteScope
}

const contains = (outer: RouteScope, inner: RouteScope) =>
  outer === '*' || outer === inner || (isLabel(inner) && scopesOf(inner).includes(outer))

const overlaps = (one: RouteScope, other: RouteScope) => contains(one, other) || contains(other, one)

const describeSettings = ({ scope, configuredKills, staticStates }: ExplainedArea) => [
  ...configuredKills
    .filter((kill) => overlaps(kill, scope))
    .map((kill) => `GATEWAY_KILL contains ${kill} on this instance.`),
  ...staticStates.filter((fixed) => overlaps(fixed.scope, scope)).map(describeStaticState),
]

const describeSwitches = ({ scope, states, unreadable }: ExplainedArea) => {
  const scopes = [scope, '*'] as const
  const killer = scopes.find((each) => states.get(each)?.killed)
  const holder = scopes.find((each) => states.get(each)?.held)
  const version = states.get(scope)?.version ?? 0
  return [
    killer
      ? `${killer} is killed, so the core serves all two-sided routes in ${scope}. Resume ${killer} to undo this.`
      : `${scope} is not killed (version ${version}).`,
    holder
      ? `${holder} is held, so automation neither promotes nor rolls back any route in ${scope}.`
      : `${scope} is not held.`,
    ...describeUnreadable(unreadable.filter((each) => each === scope || each === '*')),
  ]
}

const nativeOnly = 'native-only'

const groupByState = (routes: readonly Label[], states: ExplainedArea['states']) => {
  const groups = new Map<string, Label[]>()
  for (const label of routes) {
    const state = isTwoSided(label) ? formatStage(states.get(label) ?? initialStateOf(label)) : nativeOnly
    groups.set(state, [...(groups.get(state) ?? []), label])
  }
  return [...groups].map(([state, group]) => {
    return `${state} (${group.length} of ${routes.length}): ${group.join(', ')}.`
  })
}

const listSwitched = ({ scope, states }: ExplainedArea, name: 'killed' | 'held'): readonly string[] => {
  const inside = [...states.values()].filter((state) => state.scope !== scope && contains(scope, state.scope))
  const switched = inside.filter((state) => state[name]).map((state) => state.scope)
  return switched.length === 0 ? [] : [`Also ${name}: ${switched.join(', ')}.`]
}

export const explainArea = (area: ExplainedArea): readonly string[] => [
  ...describeSwitches(area),
  ...describeSettings(area),
  ...listSwitched(area, 'killed'),
  ...listSwitched(area, 'held'),
  ...groupByState(labelsIn(area.scope), area.states),
]
