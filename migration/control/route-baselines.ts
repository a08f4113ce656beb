import type { Label } from '#contracts/route-table.ts'
import { isLabel } from '#contracts/shared/row.ts'
import type { Queryable } from '#db/client/connection.ts'
import { listRouteBaselines, replaceRouteBaselines } from '#db/queries/routing/route-observations.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { dayMs } from '#shared/durations.ts'
import type { Side } from '../model/routing-view.ts'
import { noUsualBehaviours, type UsualBehaviours } from '../model/stop/expectations.ts'
import { sumUsualVotes } from '../model/stop/rejections.ts'
import {
  type Measurement,
  type MonitorDelta,
  StoredBaseline,
  type UsualBehaviour,
} from '../model/stop/stored-observations.ts'
import type { NativeGuard } from './guard.ts'

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

/** Returns null if both measurements are over two days old. */
export const selectBehaviour = ({ former, latest }: StoredBaseline, now: number): UsualBehaviour | null =>
  [former, latest].find((measured) => isRecent(measured, now)) ?? null

export type RouteReports = ReadonlyMap<Label, readonly MonitorDelta[]>

/** When this instance last wrote and read the baselines, by its monotonic clock; null if never. */
export interface BaselineSchedule {
  refreshedAt: number | null
}

const refreshIntervalMs = 5 * 60_000

interface MeasuredSide {
  readonly label: Label
  readonly side: Side
  readonly behaviour: UsualBehaviour
  readonly evidenceKey: string | null
}

// Selects the code that serves the most requests, because measurements of different code must not be merged.
const selectCode = (reports: readonly MonitorDelta[]) =>
  reports.reduce<MonitorDelta | null>(
    (most, report) => (most && most.usual.native.timed >= report.usual.native.timed ? most : report),
    null,
  )?.evidenceKey ?? null

const measureSides = (label: Label, reports: readonly MonitorDelta[]): MeasuredSide[] => {
  const evidenceKey = selectCode(reports)
  const ofCode = reports.filter((report) => report.evidenceKey === evidenceKey)
  return [
    {
      label,
      side: 'core',
      behaviour: mergeBehaviours(reports.map(({ usual }) => usual.core)),
      evidenceKey: null,
    },
    {
      label,
      side: 'native',
      behaviour: mergeBehaviours(ofCode.map(({ usual }) => usual.native)),
      evidenceKey,
    },
  ]
}

const parseBaseline = (stored: unknown): StoredBaseline | null =>
  StoredBaseline.safeParse(stored).data ?? null

const writeBaselines = async (db: Queryable, reports: RouteReports, now: number) => {
  if (reports.size === 0) return
  const rows = await listRouteBaselines(db)
  const changes = [...reports]
    .flatMap(([label, ofRoute]) => measureSides(label, ofRoute))
    .flatMap(({ label, side, behaviour, evidenceKey }) => {
      const row = rows.find((stored) => stored.label === label && stored.side === side)
      if (row?.isRecent) return []
      const baseline = updateBaseline(parseBaseline(row?.baseline), behaviour, evidenceKey, now)
      return baseline === null ? [] : [{ label, side, baseline }]
    })
  await replaceRouteBaselines(db, changes)
}

const readBaselines = async (db: Queryable, now: number): Promise<ReadonlyMap<Label, UsualBehaviours>> => {
  const usual = new Map<Label, UsualBehaviours>()
  for (const { label, side, baseline } of await listRouteBaselines(db)) {
    const parsed = parseBaseline(baseline)
    if (!isLabel(label) || parsed === null) continue
    usual.set(label, { ...(usual.get(label) ?? noUsualBehaviours), [side]: selectBehaviour(parsed, now) })
  }
  return usual
}

export const refreshBaselines = async (
  db: Queryable,
  guard: Pick<NativeGuard, 'adoptBaselines'>,
  reports: RouteReports,
  schedule: BaselineSchedule,
  at = performance.now(),
) => {
  if (schedule.refreshedAt !== null && at - schedule.refreshedAt < refreshIntervalMs) return
  const now = await findDatabaseTimeMs(db)
  await writeBaselines(db, reports, now)
  guard.adoptBaselines(await readBaselines(db, now))
  schedule.refreshedAt = at
}
