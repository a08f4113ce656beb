import { dayMs } from '#shared/durations.ts'
import type { Measurement, StoredBaseline, UsualBehaviour } from './stored-observations.ts'
import { sumUsualVotes } from './votes.ts'

const maxAgeMs = 2 * dayMs
/** With fewer requests, the p95 is not stored. */
const minTimed = 200

const isRecent = (measured: Measurement | null, now: number): measured is Measurement =>
  measured !== null && now - measured.measuredAt < maxAgeMs

/** Merges several instances' measurements. The p95 is their average, weighted by requests. */
export const mergeBehaviours = (measured: readonly UsualBehaviour[]): UsualBehaviour => {
  const sum = (read: (behaviour: UsualBehaviour) => number) =>
    measured.reduce((total, behaviour) => total + read(behaviour), 0)
  const timed = sum((behaviour) => behaviour.timed)
  return {
    requests: sum((behaviour) => behaviour.requests),
    errors: sum((behaviour) => behaviour.errors),
    timed,
    votes: sumUsualVotes(measured.flatMap(({ votes }) => votes ?? [])),
    p95Ms: timed === 0 ? 0 : sum((behaviour) => behaviour.p95Ms * behaviour.timed) / timed,
  }
}

/**
 * Returns the baseline after a measurement; null if the measurement has too few requests. Keeps an earlier day's
 * measurement until the day is over, and an earlier code's measurement until the current code has served for a day.
 * Code is therefore never compared with itself while something older is known.
 */
export const updateBaseline = (
  before: StoredBaseline | null,
  behaviour: UsualBehaviour,
  evidenceKey: string | null,
  now: number,
): StoredBaseline | null => {
  if (behaviour.timed < minTimed) return null
  const latest = { ...behaviour, evidenceKey, measuredAt: now }
  if (before === null) return { former: null, latest, since: now }
  const isOtherCode = before.latest.evidenceKey !== evidenceKey
  const isDayOver = now - before.since >= dayMs
  if (isDayOver || (isOtherCode && !isRecent(before.former, now)))
    return { former: before.latest, latest, since: now }
  return isOtherCode ? { former: before.former, latest, since: now } : { ...before, latest }
}

/**
 * Returns the behaviour to compare with: `former` or, if that is over two days old, `latest`. Returns null if both are
 * too old.
 */
export const selectBehaviour = ({ former, latest }: StoredBaseline, now: number): UsualBehaviour | null =>
  [former, latest].find((measured) => isRecent(measured, now)) ?? null
