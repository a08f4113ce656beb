import { sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'
import { fleetObservations, routeObservations } from '../schema/route-observations.ts'
import { statementTimestamp } from './statement-timestamp.ts'

/** Waits for no one: false if another instance evaluates. The lock is held until the transaction ends. */
export const lockFleetEvaluation = async (tx: Queryable): Promise<boolean> => {
  const [row] = await tx.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended('fleet evaluation', 0)) as locked`,
  )
  return row?.locked === true
}

/** Replaces the reports of an instance on these routes. */
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

/** Deletes all reports and returns those of the last minute. */
export const takeRouteReports = async (tx: Queryable) => {
  const taken = await tx.delete(routeObservations).returning({
    label: routeObservations.label,
    report: routeObservations.report,
    isRecent: sql<boolean>`${routeObservations.reportedAt} > statement_timestamp() - interval '1 minute'`,
  })
  return taken.filter(({ isRecent }) => isRecent)
}

/** What the fleet has observed of each route. */
export const listFleetObservations = (tx: Queryable) => tx.select().from(fleetObservations)

/** Replaces what the fleet has observed of these routes. */
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
