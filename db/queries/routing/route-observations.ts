import { asc, eq, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { requireRow } from '../../client/drizzle.ts'
import { fleetObservations, routeBaseline, routeObservations } from '../../schema/route-observations.ts'
import { tryLock } from '../locks.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

export const lockFleetEvaluation = (tx: Queryable) => tryLock(tx, 'fleet evaluation')

export const replaceRouteReports = async (
  db: Queryable,
  instanceId: string,
  reports: readonly { readonly label: string; readonly report: unknown }[],
) => {
  await db
    .insert(routeObservations)
    .values(reports.map((report) => ({ instanceId, ...report, reportedAt: statementTimestamp })))
    .onConflictDoUpdate({
      target: [routeObservations.instanceId, routeObservations.label],
      set: { report: sql`excluded.report`, reportedAt: sql`excluded.reported_at` },
    })
}

/**
 * Skips reports that are being replaced, because instances lock rows in a different order, so waiting could deadlock.
 */
export const takeRouteReports = async (tx: Queryable) => {
  const { instanceId, label } = routeObservations
  const unlocked = tx
    .select({ instanceId, label })
    .from(routeObservations)
    .for('update', { skipLocked: true })
  const taken = await tx
    .delete(routeObservations)
    .where(sql`(${instanceId}, ${label}) in ${unlocked}`)
    .returning({
      label,
      report: routeObservations.report,
      isRecent: sql<boolean>`${routeObservations.reportedAt} > statement_timestamp() - interval '1 minute'`,
    })
  return taken.filter(({ isRecent }) => isRecent)
}

export const listFleetObservations = (tx: Queryable) => tx.select().from(fleetObservations)

export const findFleetObservation = async (db: Reader, label: string): Promise<unknown> => {
  const [row] = await db
    .select({ observed: fleetObservations.observed })
    .from(fleetObservations)
    .where(eq(fleetObservations.label, label))
  return row?.observed ?? null
}

export const replaceFleetObservations = async (
  tx: Queryable,
  observations: readonly { readonly label: string; readonly observed: unknown }[],
) => {
  if (observations.length === 0) return
  await tx
    .insert(fleetObservations)
    .values([...observations])
    .onConflictDoUpdate({ target: fleetObservations.label, set: { observed: sql`excluded.observed` } })
}

const openAgainAfterMinutes = 2

/**
 * Records that a breaker is open. `isNew` means that no instance had reported it in the last two minutes. `reportedAt`
 * is the time of the first report after the last gap of that length.
 */
export const reportOpenBreaker = async (tx: Queryable, breaker: string) => {
  const observed = sql`fleet_observations.observed`
  const isOver = sql`(${observed}->>'seenAt')::timestamptz
    < statement_timestamp() - ${openAgainAfterMinutes} * interval '1 minute'`
  const rows = await tx.execute<{ reportedAt: string; isNew: boolean }>(sql`
    insert into fleet_observations (label, observed)
    values (${`breaker ${breaker}`},
      jsonb_build_object('reportedAt', statement_timestamp(), 'seenAt', statement_timestamp()))
    on conflict (label) do update set observed = jsonb_build_object(
      'reportedAt', case when ${isOver} then to_jsonb(statement_timestamp()) else ${observed}->'reportedAt' end,
      'seenAt', statement_timestamp())
    returning observed->>'reportedAt' as "reportedAt", observed->'reportedAt' = observed->'seenAt' as "isNew"`)
  return requireRow(rows)
}

type BaselineRow = typeof routeBaseline.$inferSelect

export const listRouteBaselines = (db: Reader) =>
  db
    .select({
      label: routeBaseline.label,
      side: routeBaseline.side,
      baseline: routeBaseline.baseline,
      isRecent: sql<boolean>`${routeBaseline.writtenAt} > statement_timestamp() - interval '5 minutes'`,
    })
    .from(routeBaseline)
    .orderBy(asc(routeBaseline.label), asc(routeBaseline.side))

/**
 * Replaces the stored baselines of these sides, in key order, so that concurrent writes wait instead of deadlocking.
 */
export const replaceRouteBaselines = async (
  db: Queryable,
  baselines: readonly Omit<BaselineRow, 'writtenAt'>[],
) => {
  if (baselines.length === 0) return
  const keyOf = ({ label, side }: Pick<BaselineRow, 'label' | 'side'>) => `${label} ${side}`
  await db
    .insert(routeBaseline)
    .values(
      baselines
        .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
        .map((row) => ({ ...row, writtenAt: statementTimestamp })),
    )
    .onConflictDoUpdate({
      target: [routeBaseline.label, routeBaseline.side],
      set: { baseline: sql`excluded.baseline`, writtenAt: sql`excluded.written_at` },
    })
}
