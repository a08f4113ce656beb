import { and, eq, gt, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { routeUsage } from '../schema/comparisons.ts'

export type RouteUsageRow = typeof routeUsage.$inferSelect

const countResponses = (table: string) =>
  sql`(select coalesce(sum(value::bigint), 0) from jsonb_each_text(${sql.raw(`${table}.statuses`)}))`

/** Replaces what the core has returned through one instance. It only grows: an older write changes nothing. */
export const saveRouteUsage = async (db: Queryable, rows: readonly RouteUsageRow[]) => {
  if (rows.length === 0) return
  await db
    .insert(routeUsage)
    .values([...rows])
    .onConflictDoUpdate({
      target: [routeUsage.label, routeUsage.day, routeUsage.instanceId],
      set: { statuses: sql`excluded.statuses`, accounts: sql`excluded.accounts` },
      setWhere: sql`${countResponses('excluded')} >= ${countResponses('route_usage')}`,
    })
}

/** What the core has returned on a route today and on the six days before, by instance and day. */
export const listRouteUsage = (db: Reader, label: string) =>
  db
    .select({ statuses: routeUsage.statuses, accounts: routeUsage.accounts })
    .from(routeUsage)
    .where(
      and(
        eq(routeUsage.label, label),
        gt(routeUsage.day, sql`(statement_timestamp() at time zone 'UTC')::date - 7`),
      ),
    )

/** Deletes up to `limit` rows of days that are older than 8 days. Returns how many. */
export const deleteOldRouteUsage = async (tx: Queryable, limit: number): Promise<number> => {
  const deleted = await tx.execute(sql`
    delete from route_usage where (label, day, instance_id) in (
      select label, day, instance_id from route_usage
      where day < (statement_timestamp() at time zone 'UTC')::date - 8 order by day limit ${limit}::int)
    returning 1`)
  return deleted.length
}
