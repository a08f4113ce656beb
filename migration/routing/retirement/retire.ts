import type { Label } from '#contracts/route-table.ts'
import { formatMinute } from '../gate/format-quantity.ts'
import { hasDrillEnded, isDrill, type RouteState } from '../route-state.ts'
import { changed, findObstacle, illegal, type Transition, type TransitionConditions } from '../transition.ts'
import { evaluateRetirement } from './retirement-conditions.ts'

/** A day: what takes longer is no drill. */
export const maxDrillMinutes = 24 * 60

interface Retirement {
  readonly drillMinutes?: number | undefined
}

const describeMissing = (label: Label, conditions: TransitionConditions) => {
  const { retirement, evidenceKey, liveEvidenceKeys } = conditions
  if (!retirement) return `what is known of ${label} could not be read`
  const missing = evaluateRetirement(retirement, evidenceKey, liveEvidenceKeys).filter(({ holds }) => !holds)
  if (missing.length === 0) return null
  const sentences = missing.map(({ sentence }) => sentence).join(' ')
  return `${label} cannot be retired yet. ${sentences.replace(/\.$/, '')}`
}

const startDrill = (
  before: RouteState,
  minutes: number,
  { evidenceKey, retirement }: TransitionConditions,
): Transition => {
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > maxDrillMinutes)
    return illegal(`a drill takes 1 to ${maxDrillMinutes} minutes`)
  if (!retirement) return illegal(`what is known of ${before.scope} could not be read`)
  const drillUntil = new Date(retirement.now + minutes * 60_000).toISOString()
  return changed(before, { stage: 'retired', evidenceKey, drillUntil })
}

/** Retires a route that native serves to all, for a drill or for good. */
export const retire = (
  before: RouteState,
  label: Label,
  { drillMinutes }: Retirement,
  conditions: TransitionConditions,
): Transition => {
  if (before.killed) return illegal(`${label} is killed: resume it first`)
  if (before.stage === 'retired')
    return illegal(
      isDrill(before)
        ? `${label} is in a drill until ${formatMinute(before.drillUntil ?? 0)}: ramp it to 100 % to end that`
        : `${label} is retired already`,
    )
  if (before.stage !== 'native')
    return illegal(`${label} is in state ${before.stage}: ramp it to 100 % first`)
  const obstacle = findObstacle(label, conditions)
  if (obstacle) return illegal(obstacle)
  if (drillMinutes !== undefined) return startDrill(before, drillMinutes, conditions)
  const missing = describeMissing(label, conditions)
  return missing === null
    ? changed(before, { stage: 'retired', evidenceKey: conditions.evidenceKey, drillUntil: null })
    : illegal(missing)
}

/** Returns to native what is retired for a drill whose time is over, also if it is held or killed meanwhile. */
export const endDrill = (
  before: RouteState,
  label: Label,
  { retirement }: TransitionConditions,
): Transition =>
  retirement && hasDrillEnded(before, retirement.now)
    ? changed(before, { stage: 'native', drillUntil: null })
    : illegal(`${label} is in no drill that has ended`)
