import { and, eq, gt, lte, type SQL, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { requireRow } from '../../client/drizzle.ts'
import { routeCounts } from '../../schema/route-evidence.ts'
import { tryLock } from '../locks.ts'

export const countNames = [
  'native2xx',
  'native3xx',
  'native4xx',
  'native5xx',
  'core2xx',
  'core3xx',
  'core4xx',
  'core5xx',
] as const
export const allRoutes = '*'
type CountName = (typeof countNames)[number]
export type RouteCounts = Readonly<Record<CountName, number>>
export type RouteCountsRow = typeof routeCounts.$inferInsert

export const mapCounts = <T>(map: (name: CountName) => T): Record<CountName, T> => ({
  native2xx: map('native2xx'),
  native3xx: map('native3xx'),
  native4xx: map('native4xx'),
  native5xx: map('native5xx'),
  core2xx: map('core2xx'),
  core3xx: map('core3xx'),
  core4xx: map('core4xx'),
  core5xx: map('core5xx'),
})

const listCounts = (map: (column: SQL) => SQL) =>
  sql.join(
    countNames.map((name) => map(sql`${sql.identifier(name)}`)),
    sql`, `,
  )

/** Because counts only grow, a delayed statement that completes after a newer one changes nothing. */
export const saveRouteCounts = async (db: Queryable, rows: readonly RouteCountsRow[]) => {
  if (rows.length === 0) return
  await db
    .insert(routeCounts)
    .values([...rows])
    .onConflictDoUpdate({
      target: [routeCounts.label, routeCounts.intervalStart, routeCounts.instanceId],
      set: {
        ...mapCounts((name) => sql`greatest(${routeCounts[name]}, excluded.${sql.identifier(name)})`),
        // PostgreSQL compares arrays by the first element that differs, then by length. Counts only grow, so the larger
        // array is the newer one.
        nativeDurations: sql`greatest(${routeCounts.nativeDurations}, excluded.native_durations)`,
        coreDurations: sql`greatest(${routeCounts.coreDurations}, excluded.core_durations)`,
      },
    })
}

export const sumRouteCounts = async (db: Reader, label: string, seconds: number): Promise<RouteCounts> =>
  requireRow(
    await db
      .select(mapCounts((name) => sql`coalesce(sum(${routeCounts[name]}), 0)`.mapWith(Number)))
      .from(routeCounts)
      .where(
        and(
          eq(routeCounts.label, label),
          gt(routeCounts.intervalStart, sql`statement_timestamp() - ${seconds} * interval '1 second'`),
          lte(routeCounts.intervalStart, sql`statement_timestamp()`),
        ),
      ),
  )

const sumDurations = (column: SQL) => sql`
  select day, label, array_agg(total order by bucket) as durations from (
    select (interval_start at time zone 'UTC')::date as day, label, bucket, sum(count)::bigint as total
    from folded, unnest(${column}) with ordinality as counted(count, bucket) group by 1, 2, 3
  ) as sums group by 1, 2`

const addDurations = (column: SQL) => sql`
  array(select coalesce(known, 0) + coalesce(added, 0)
    from unnest(daily.${column}, excluded.${column}) with ordinality as both_counts(known, added, bucket)
    order by bucket)`

const [native, core] = [sql.raw('native_durations'), sql.raw('core_durations')]

/** Returns how many it moved; null if another instance is doing this. Call it in a transaction of its own. */
export const foldRouteCounts = async (tx: Queryable, limit: number): Promise<number | null> => {
  if (!(await tryLock(tx, 'route counts retention'))) return null
  const [result] = await tx.execute<{ folded: number }>(sql`
    with old as (
      select label, interval_start, instance_id from route_counts
      where interval_start < date_trunc('day', statement_timestamp(), 'UTC') - interval '14 days'
      order by interval_start limit ${limit}::int
    ), folded as (
      delete from route_counts using old
      where route_counts.label = old.label and route_counts.interval_start = old.interval_start
        and route_counts.instance_id = old.instance_id
      returning route_counts.*
    ), days as (
      select (interval_start at time zone 'UTC')::date as day, label,
        ${listCounts((column) => sql`sum(${column}) as ${column}`)}
      from folded where label <> ${allRoutes} group by 1, 2
      -- Instances of an older release have not counted all routes together.
      union all
      select (interval_start at time zone 'UTC')::date, ${allRoutes}::text,
        ${listCounts((column) => sql`sum(${column})`)}
      from folded where label <> ${allRoutes} group by 1
    ), native as (${sumDurations(native)}), core as (${sumDurations(core)}), added as (
      insert into route_counts_daily as daily
        (day, label, ${listCounts((column) => column)}, native_durations, core_durations)
      select day, label, ${listCounts((column) => column)},
        coalesce(native.durations, '{}'), coalesce(core.durations, '{}')
      from days left join native using (day, label) left join core using (day, label)
      on conflict (day, label) do update
        set ${listCounts((column) => sql`${column} = daily.${column} + excluded.${column}`)},
          native_durations = ${addDurations(native)}, core_durations = ${addDurations(core)}
    )
    select count(*)::int as folded from folded`)
  return result?.folded ?? 0
}

export const deleteOldDailyCounts = async (tx: Queryable, limit: number): Promise<number> => {
  const deleted = await tx.execute(sql`
    delete from route_counts_daily where (day, label) in (
      select day, label from route_counts_daily
      where day < (statement_timestamp() at time zone 'UTC')::date - 400 order by day limit ${limit}::int)
    returning 1`)
  return deleted.length
}
