import { html } from 'hono/html'
import { formatWeight } from '../../model/format-state.ts'
import { fullWeightBp } from '../../model/route-state.ts'
import type { ListedRoute } from '../api-types.ts'
import { type BadgeKind, renderBadge, renderState } from './html.ts'

interface Stage {
  readonly stage: string | null
  readonly weightBp: number
}

/** Shows a route's stage, and native's percentage as a bar. */
export const renderStage = ({ stage, weightBp }: Stage) =>
  html`<span class="stage">${renderState(stage ?? '')}<progress class="weight" max="${fullWeightBp}" value="${weightBp}" aria-hidden="true"></progress><span class="number small">${formatWeight(weightBp)}</span></span>`

/** Whether the running code was stopped automatically, on this instance or any other. */
export const isStopped = ({ isStoppedHere, hasFailedCode }: ListedRoute) => isStoppedHere || hasFailedCode

const describeKill = ({ label, killedHere, killedBy }: ListedRoute) => {
  if (killedHere) return 'killed by GATEWAY_KILL'
  if (killedBy === null) return null
  return killedBy === label ? 'killed' : `killed by ${killedBy}`
}

const describeHold = ({ label, heldBy }: ListedRoute) => {
  if (heldBy === null) return null
  return heldBy === label ? 'held' : `held by ${heldBy}`
}

/** Lists what keeps a route from being served as its stage says, or from moving. */
const listBadges = (route: ListedRoute): readonly (readonly [string, BadgeKind])[] => {
  const { isTwoSided, hasHandler, missingSettings, fixedHere, isPausedHere, state } = route
  const candidates: readonly (readonly [string | null, BadgeKind])[] = [
    [describeKill(route), 'bad'],
    [isStopped(route) ? 'stopped' : null, 'bad'],
    [isPausedHere ? 'paused here' : null, 'bad'],
    [state.drillUntil === null ? null : 'drill', 'warn'],
    [describeHold(route), 'warn'],
    [missingSettings === null ? null : 'not configured', 'warn'],
    [isTwoSided && !hasHandler && missingSettings === null ? 'no handler' : null, 'warn'],
    [fixedHere ? 'fixed by GATEWAY_ROUTES' : null, 'warn'],
    [state.mode === 'observe' ? null : `mode ${state.mode}`, ''],
  ]
  return candidates.flatMap(([text, kind]) => (text === null ? [] : [[text, kind] as const]))
}

export const renderBadges = (route: ListedRoute) =>
  listBadges(route).map(
    ([text, kind]) =>
      html`${text.startsWith('killed') ? renderState('killed', text) : text.startsWith('held') ? renderState('held', text) : renderBadge(text, kind)} `,
  )
