import type { Label } from '#contracts/route-table.ts'
import { dayMs } from '#shared/durations.ts'
import { formatCommand } from '#shared/format-command.ts'
import { formatCountOf, formatDuration, formatMinute } from '#shared/format-quantity.ts'
import type { Condition } from './gate/check.ts'
import { hasDrillEnded, isDrill, type RouteState } from './route-state.ts'
import { changed, findObstacle, illegal, type Transition, type TransitionConditions } from './transition.ts'

/** Unix time in milliseconds. */
type Time = number

/** A drill that lasted as long as planned: no person or stop cut it short. */
export interface CompletedDrill {
  readonly startedAt: Time
  readonly endedAt: Time
  /** The code that ran throughout the drill; null if the code changed. */
  readonly evidenceKey: string | null
  readonly nativeRequests: number
  /** Requests with a 5xx status. */
  readonly failures: number
}

interface RetirementCode {
  readonly evidenceKey: string | null
  readonly liveEvidenceKeys: readonly string[]
  readonly obstacle: string | null
}

export interface RetirementFacts {
  readonly now: Time
  /** When native began to serve everything; null if the state has never changed. */
  readonly nativeSince: Time | null
  /** When recording of the core's requests began; null if they are not recorded. */
  readonly recordedSince: Time | null
  /** Automatic stops in the last 14 days. */
  readonly stops: number
  /** Client requests that the core served in the last 15 days. */
  readonly clientRequests: number
  /** Null if the core has served no client since recording began. */
  readonly lastClientRequestAt: Time | null
  /** Idempotency keys whose retries go to the core. */
  readonly forwardedKeys: number
  /** When the last of these keys expires; null if there are none. */
  readonly forwardedKeysUntil: Time | null
  /** The last completed drill within 14 days. */
  readonly drill: CompletedDrill | null
}

type Id = 'instances' | 'time' | 'stops' | 'core-usage' | 'forwarded-keys' | 'drill'
type RetirementCondition = Condition<Id>

const met = (id: Id, sentence: string): RetirementCondition => ({ id, isMet: true, sentence })
const notMet = (id: Id, sentence: string): RetirementCondition => ({ id, isMet: false, sentence })

/** How long native must have served everything. */
export const retirementDays = 14
export const minDrillMinutes = 60

const waitMs = retirementDays * dayMs
// A drill's end is chosen a moment before the audit records its start, so a drill seems slightly too short.
const toleranceMs = 10_000
// Instances write their counts every ten seconds, so after 30 s all counts have been written.
const countsWrittenAfterMs = 30_000

export const isLongDrill = ({ startedAt, endedAt }: Pick<CompletedDrill, 'startedAt' | 'endedAt'>) =>
  endedAt - startedAt >= minDrillMinutes * 60_000 - toleranceMs

const requireTime = ({ now, nativeSince, recordedSince }: RetirementFacts): RetirementCondition => {
  if (recordedSince === null) return notMet('time', 'Core usage is not recorded yet.')
  const since = Math.max(nativeSince ?? recordedSince, recordedSince)
  const known =
    nativeSince !== null && nativeSince >= recordedSince
      ? 'Native has served all accounts'
      : 'Core usage has been recorded'
  const age = formatDuration(Math.max(0, now - since))
  return now - since >= waitMs
    ? met('time', `${known} for more than ${retirementDays} days.`)
    : notMet('time', `${known} for ${age} (since ${formatMinute(since)}); ${retirementDays} days are needed.`)
}

const requireNoStop = ({ stops }: RetirementFacts): RetirementCondition =>
  stops === 0
    ? met('stops', `Native was not stopped in the last ${retirementDays} days.`)
    : notMet(
        'stops',
        `Native was stopped automatically in the last ${retirementDays} days (${formatCountOf(stops, 'stop')}).`,
      )

const requireNoCoreRequest = ({
  now,
  clientRequests,
  lastClientRequestAt,
}: RetirementFacts): RetirementCondition => {
  if (lastClientRequestAt === null || now - lastClientRequestAt >= waitMs)
    return met('core-usage', `The core has served no client in ${retirementDays} days.`)
  return notMet(
    'core-usage',
    `The core has served ${formatCountOf(clientRequests, 'client request')} in the last 15 days, most recently at ${formatMinute(lastClientRequestAt)}; retirement needs ${retirementDays} days without any.`,
  )
}

/**
 * Requires that no idempotency key sends its retries to the core. Once the core is gone, native would treat such a
 * retry as a new request, although the core has already served it. A drill requires this too.
 */
const requireNoForwardedKey = ({
  forwardedKeys,
  forwardedKeysUntil,
}: RetirementFacts): RetirementCondition =>
  forwardedKeysUntil === null
    ? met('forwarded-keys', 'No retries go to the core any more because of an idempotency key.')
    : notMet(
        'forwarded-keys',
        `Retries with ${formatCountOf(forwardedKeys, 'idempotency key')} still go to the core, until ${formatMinute(forwardedKeysUntil)}.`,
      )

const requireDrill = (
  { drill, now }: RetirementFacts,
  { evidenceKey, liveEvidenceKeys }: RetirementCode,
): RetirementCondition => {
  if (drill === null)
    return notMet(
      'drill',
      `No drill of ${minDrillMinutes} minutes or more was completed in the last ${retirementDays} days.`,
    )
  const { startedAt, endedAt, failures, nativeRequests } = drill
  const served = `native served ${formatCountOf(nativeRequests, 'request')}`
  const time = `The drill from ${formatMinute(startedAt)} to ${formatMinute(endedAt)}`
  if (!isLongDrill(drill)) return notMet('drill', `${time} was shorter than ${minDrillMinutes} minutes.`)
  if (now - endedAt < countsWrittenAfterMs)
    return notMet('drill', `${time} has just ended, and its last requests are not counted yet.`)
  if (failures > 0) return notMet('drill', `${time} had failures: ${served}, ${failures} with a 5xx status.`)
  return [evidenceKey, ...liveEvidenceKeys].every((key) => key === drill.evidenceKey)
    ? met('drill', `${time} had no failures: ${served}.`)
    : notMet('drill', `${time} did not test the code that is running now.`)
}

/** Unlike the gate's checks, these conditions cannot be waived. */
export const evaluateRetirement = (
  facts: RetirementFacts,
  code: RetirementCode,
): readonly RetirementCondition[] => [
  code.obstacle === null
    ? met('instances', 'Every running instance can serve the route natively.')
    : notMet('instances', `Not every instance is ready: ${code.obstacle}.`),
  requireTime(facts),
  requireNoStop(facts),
  requireNoCoreRequest(facts),
  requireNoForwardedKey(facts),
  requireDrill(facts, code),
]

export const explainRetirement = (
  label: string,
  conditions: readonly Omit<RetirementCondition, 'id'>[],
): readonly string[] => {
  const missing = conditions.filter(({ isMet }) => !isMet)
  return missing.length === 0
    ? [`${label} can be retired: ${formatCommand('routes', 'retire', label)}`]
    : [`${label} cannot be retired yet.`, ...missing.map(({ sentence }) => sentence)]
}

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
