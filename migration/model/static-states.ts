import { isLabel, isTwoSided } from '#contracts/shared/row.ts'
import type { StaticState } from './build-routing-view.ts'
import { isRouteScope, labelsIn } from './route-scope.ts'
import { fullWeightBp, routeStages, weightOfStage } from './route-state.ts'

const canary = /^canary:(\d{1,5})$/

const parseStage = (text: string): Pick<StaticState, 'stage' | 'weightBp'> | string => {
  const [, digits] = canary.exec(text) ?? []
  if (digits !== undefined) {
    const weightBp = Number(digits)
    return weightBp > 0 && weightBp < fullWeightBp
      ? { stage: 'canary', weightBp }
      : 'the weight of a canary must be 1 to 9999 basis points'
  }
  const stage = routeStages.find((known) => known === text)
  const weightBp = stage === undefined ? null : weightOfStage(stage)
  return stage === undefined || weightBp === null
    ? 'a state must be proxy, shadow, canary:<basis points>, native or retired'
    : { stage, weightBp }
}

/** Parses `scope=state`, or returns what is wrong with it. */
export const parseStaticState = (text: string): StaticState | string => {
  const separator = text.indexOf('=')
  const scope = text.slice(0, Math.max(separator, 0)).trim()
  if (!isRouteScope(scope)) return 'its scope is not a route label, area.* or *'
  if (isLabel(scope) && !isTwoSided(scope)) return `${scope} is native-only: the core cannot serve it`
  if (!labelsIn(scope).some(isTwoSided)) return `all routes of ${scope} are native-only`
  const parsed = parseStage(text.slice(separator + 1).trim())
  return typeof parsed === 'string' ? parsed : { scope, ...parsed }
}
