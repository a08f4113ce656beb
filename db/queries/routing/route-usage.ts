import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { evidenceCounts, routeUsage } from '../../schema/comparisons.ts'

export type RouteUsageRow = typeof routeUsage.$inferSelect

const aWeekAgo = sql`(statement_timestamp() at time zone 'UTC')::date - 7`

const countResponses = (table: string) =>
  sql`(select coalesce(sum(value::bigint), 0) from jsonb_each_text(${sql.raw(`${table}.statuses`)}))`

/** Counts only grow, so an older write changes nothing. */
export const saveRouteUsage = async (db: Queryable, rows: readonly RouteUsageRow[]) => {
  if (rows.length === 0) return
  await db
    .insert(routeUsage)
    .values([...rows])
    .onConflictDoUpdate({
      target: [routeUsage.label, routeUsage.day, routeUsage.instanceId],
      set: {
        statuses: sql`excluded.statuses`,
        shapes: sql`excluded.shapes`,
        accounts: sql`excluded.accounts`,
      },
      setWhere: sql`${countResponses('excluded')} >= ${countResponses('route_usage')}`,
    })
}

export const listRouteUsage = (db: Reader, label: string) =>
  db
    .select({ statuses: routeUsage.statuses, shapes: routeUsage.shapes, accounts: routeUsage.accounts })
    .from(routeUsage)
    .where(and(eq(routeUsage.label, label), gt(routeUsage.day, aWeekAgo)))

export const deleteOldRouteUsage = async (tx: Queryable, limit: number): Promise<number> => {
  const deleted = await tx.execute(sql`
    delete from route_usage where (label, day, instance_id) in (
      select label, day, instance_id from route_usage
      where day < (statement_timestamp() at time zone 'UTC')::date - 8 order by day limit ${limit}::int)
    returning 1`)
  return deleted.length
}

/** Lists samples of the accounts, or share links, that used these routes today or in the six days before. */
export const listActiveAccounts = async (
  db: Reader,
  labels: readonly string[],
): Promise<(readonly string[])[]> => {
  const used = await db
    .select({ accounts: routeUsage.accounts })
    .from(routeUsage)
    .where(and(inArray(routeUsage.label, [...labels]), gt(routeUsage.day, aWeekAgo)))
  // Includes accounts that native served, if their responses were compared with the core's.
  const compared = await db
    .select({ accounts: evidenceCounts.accounts })
    .from(evidenceCounts)
    .where(and(inArray(evidenceCounts.label, [...labels]), gt(evidenceCounts.day, aWeekAgo)))
  return [...used, ...compared].map(({ accounts }) => accounts)
}
