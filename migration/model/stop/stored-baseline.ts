import { z } from 'zod'
import { dayMs } from '#shared/durations.ts'
import { StoredUsualVotes } from './stored-votes.ts'
import type { UsualBehaviour } from './usual-behaviour.ts'
import { sumUsualVotes } from './votes.ts'

const count = z.int().nonnegative()

/** `UsualBehaviour`, as stored. */
export const StoredBehaviour = z.object({
  requests: count,
  errors: count,
  timed: count,
  p95Ms: z.number().nonnegative(),
  votes: StoredUsualVotes.optional(),
})

const Measurement = StoredBehaviour.extend({
  /** The code that was measured; null for the core. */
  evidenceKey: z.string().nullable(),
  /** Unix milliseconds. */
  measuredAt: z.number(),
})
type Measurement = z.infer<typeof Measurement>

/** The stored baseline of one side of a route. */
export const StoredBaseline = z.object({
  /** The measurement of an earlier day or earlier code; null if there is none yet. */
  former: Measurement.nullable(),
  latest: Measurement,
  /** When the day of `latest` began or, if later, when its code was first measured. */
  since: z.number(),
})
export type StoredBaseline = z.infer<typeof StoredBaseline>

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
 * Returns the behaviour to compare with: the former one or, if that is over two days old, the latest. Returns null if
 * both are too old.
 */
export const selectBehaviour = ({ former, latest }: StoredBaseline, now: number): UsualBehaviour | null =>
  [former, latest].find((measured) => isRecent(measured, now)) ?? null
