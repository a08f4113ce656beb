import type { Label } from '#contracts/route-table.ts'
import { formatMinute } from '../gate/format-quantity.ts'
import { hasDrillEnded, isDrill, type RouteState } from '../route-state.ts'
import { changed, findObstacle, illegal, type Transition, type TransitionConditions } from '../transition.ts'
import { evaluateRetirement, requireNoForwardedKey } from './retirement-conditions.ts'

/** A day. Anything longer is not a drill. */
export const maxDrillMinutes = 24 * 60

const describeUnread = (label: Label) => `the data that retiring ${label} depends on could not be read`

const describeMissing = (label: Label, conditions: TransitionConditions) => {
  const { retirement } = conditions
  if (!retirement) return describeUnread(label)
  const code = { ...conditions, obstacle: findObstacle(label, conditions) }
  const missing = evaluateRetirement(retirement, code).filter(({ isMet }) => !isMet)
  if (missing.length === 0) return null
  const sentences = missing.map(({ sentence }) => sentence).join(' ')
  return `${label} cannot be retired yet. ${sentences.replace(/\.$/, '')}`
}

const startDrill = (
  before: RouteState,
  label: Label,
  minutes: number,
  conditions: TransitionConditions,
): Transition => {
  const { evidenceKey, liveEvidenceKeys, retirement, now = 0 } = conditions
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > maxDrillMinutes)
    return illegal(`a drill must last 1 to ${maxDrillMinutes} minutes`)
  const obstacle = findObstacle(label, conditions)
  if (obstacle) return illegal(obstacle)
  if (liveEvidenceKeys.some((key) => key !== evidenceKey))
    return illegal(
      `running instances have different code for ${label}: a drill needs the same code everywhere`,
    )
  if (!retirement) return illegal(describeUnread(label))
  const { isMet, sentence } = requireNoForwardedKey(retirement)
  if (!isMet) return illegal(`${label} cannot start a drill yet. ${sentence.replace(/\.$/, '')}`)
  const drillUntil = new Date(now + minutes * 60_000).toISOString()
  return changed(before, { stage: 'retired', evidenceKey, drillUntil })
}

export const retire = (
  before: RouteState,
  label: Label,
  { drillMinutes }: { readonly drillMinutes?: number | undefined },
  conditions: TransitionConditions,
): Transition => {
  const { now = 0, evidenceKey } = conditions
  const killer = before.killed ? label : conditions.killedBy
  if (killer) return illegal(`${killer} is killed: resume it first`)
  if (before.stage === 'retired' && !hasDrillEnded(before, now))
    return illegal(
      isDrill(before)
        ? `${label} is in a drill until ${formatMinute(before.drillUntil ?? 0)}: to end the drill, ramp the route to 100 %`
        : `${label} is already retired`,
    )
  if (before.stage !== 'native' && before.stage !== 'retired')
    return illegal(`${label} is in state ${before.stage}: ramp it to 100 % first`)
  if (drillMinutes !== undefined) return startDrill(before, label, drillMinutes, conditions)
  const missing = describeMissing(label, conditions)
  return missing === null
    ? changed(before, { stage: 'retired', evidenceKey, drillUntil: null })
    : illegal(missing)
}

/** Returns a route to `native` when its drill is over, even if it was held or killed in the meantime. */
export const endDrill = (
  before: RouteState,
  label: Label,
  { now = 0, evidenceKey, liveEvidenceKeys }: TransitionConditions,
): Transition => {
  if (!hasDrillEnded(before, now)) return illegal(`no drill of ${label} has ended`)
  // If any instance runs different code, records that code. The drill then does not count.
  const running = [evidenceKey, ...liveEvidenceKeys].find((key) => key !== before.evidenceKey)
  return changed(before, {
    stage: 'native',
    drillUntil: null,
    evidenceKey: running === undefined ? before.evidenceKey : running,
  })
}
