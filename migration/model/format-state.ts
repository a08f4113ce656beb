import { formatCommand } from '#shared/format-command.ts'
import { formatMinute } from '#shared/format-quantity.ts'
import type { StaticState } from './build-routing-view.ts'
import type { RouteState } from './route-state.ts'
import type { RoutingView } from './routing-view.ts'

export const formatWeight = (weightBp: number) => `${weightBp / 100} %`

const percentage = /^(\d{1,3})(?:\.(\d{1,2}))?%?$/

/** Parses `5`, `0.5` or `5%` into basis points. Returns null if the text is not a percentage up to 100. */
export const parsePercentage = (text: string): number | null => {
  const [, whole, fraction = ''] = percentage.exec(text) ?? []
  const weightBp = whole === undefined ? Number.NaN : Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
  return weightBp <= 10_000 ? weightBp : null
}

interface FormattedState extends Pick<RouteState, 'weightBp'> {
  readonly stage: string | null
  readonly drillUntil?: string | null
}

/** Formats a stage: `canary at 25 %`, `retired until 2026-01-31T08:05Z` for a drill, any other stage by its name. */
export const formatStage = ({ stage, weightBp, drillUntil = null }: FormattedState) => {
  if (stage === 'canary') return `canary at ${formatWeight(weightBp)}`
  return stage === 'retired' && drillUntil !== null
    ? `retired until ${formatMinute(drillUntil)}`
    : (stage ?? '')
}

export const describeDemotion = ({ weightBp }: Pick<RouteState, 'weightBp'>) =>
  weightBp === 0 ? 'its code has changed or was stopped' : 'it was retired, and the core has served it since'

export const describeStaticState = (fixed: StaticState) =>
  `GATEWAY_ROUTES sets ${fixed.scope} to ${formatStage(fixed)} on this instance, so the stored state does not apply.`

export const describeUnreadable = (scopes: readonly string[]) =>
  scopes.map(
    (scope) =>
      `The stored state of ${scope} cannot be read. Instances keep the last state they could read. Those that have never read one treat ${scope} as killed.`,
  )

export const describeAdoption = (
  { epoch, isKnown, isStale }: Pick<RoutingView, 'epoch' | 'isKnown' | 'isStale'>,
  storedEpoch: number,
): readonly string[] => {
  if (!isKnown)
    return [
      'This instance has not read the stored state yet. Until it has, the core serves every route it can.',
    ]
  if (epoch !== storedEpoch) return [`This instance is at epoch ${epoch}; the newest is ${storedEpoch}.`]
  return isStale
    ? [`This instance has not been able to read the state for a while. It is still at epoch ${epoch}.`]
    : []
}

export const describeRestore = (isRestored: boolean): readonly string[] =>
  isRestored
    ? [
        `The database was restored from an older backup. The instances kept their kills, holds and stops, and automation is held. Check the routes, then run ${formatCommand('routes', 'accept-restore')}.`,
      ]
    : []
