import type { Label } from '#contracts/route-table.ts'
import { isLabel } from '#contracts/shared/row.ts'
import type { Queryable } from '#db/client/connection.ts'
import { listRouteBaselines, replaceRouteBaselines } from '#db/queries/routing/route-observations.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import type { Side } from '../model/routing-view.ts'
import { noUsualBehaviours, type UsualBehaviours } from '../model/stop/expectations.ts'
import { mergeBehaviours, selectBehaviour, updateBaseline } from '../model/stop/stored-baseline.ts'
import { type MonitorDelta, StoredBaseline, type UsualBehaviour } from '../model/stop/stored-observations.ts'
import type { NativeGuard } from './guard.ts'

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

/** Stores how both sides usually serve the reported routes, and gives the guard the stored baselines. */
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
