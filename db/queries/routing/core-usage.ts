import { between, desc, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { coreUsage, coreUsageStart, coreUsageTotal, unmatchedUsage } from '../../schema/core-usage.ts'
import { tryLock } from '../locks.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

export type CoreUsageRow = Omit<typeof coreUsage.$inferInsert, 'lastAt'>
export type UnmatchedUsageRow = Omit<typeof unmatchedUsage.$inferInsert, 'lastAt'>

// Counts only grow. So a write that completes after a newer one changes nothing, and `lastAt` changes only if there
// were more requests.
const keepLarger = (table: typeof coreUsage | typeof unmatchedUsage) => ({
  set: { requests: sql`excluded.requests`, lastAt: statementTimestamp },
  setWhere: sql`excluded.requests > ${table.requests}`,
})

/**
 * Marks the record as alive. If that last happened over an hour ago, because only older releases ran, it starts over.
 */
export const continueCoreUsageRecord = async (db: Queryable) => {
  const { at, aliveAt } = coreUsageStart
  await db
    .insert(coreUsageStart)
    .values({})
    .onConflictDoUpdate({
      target: coreUsageStart.singleton,
      set: {
        at: sql`case when ${aliveAt} < ${statementTimestamp} - interval '1 hour' then ${statementTimestamp} else ${at} end`,
        aliveAt: statementTimestamp,
      },
      setWhere: sql`${aliveAt} < ${statementTimestamp} - interval '1 minute'`,
    })
}

export const saveCoreUsage = async (db: Queryable, rows: readonly CoreUsageRow[]) => {
  if (rows.length === 0) return
  const { label, cause, day, instanceId } = coreUsage
  await db
    .insert(coreUsage)
    .values(rows.map((row) => ({ ...row, lastAt: statementTimestamp })))
    .onConflictDoUpdate({ target: [label, cause, day, instanceId], ...keepLarger(coreUsage) })
}

export const saveUnmatchedUsage = async (db: Queryable, rows: readonly UnmatchedUsageRow[]) => {
  if (rows.length === 0) return
  const { method, shape, day, instanceId } = unmatchedUsage
  await db
    .insert(unmatchedUsage)
    .values(rows.map((row) => ({ ...row, lastAt: statementTimestamp })))
    .onConflictDoUpdate({ target: [method, shape, day, instanceId], ...keepLarger(unmatchedUsage) })
}

const lastTime = (column: typeof coreUsage.lastAt | typeof unmatchedUsage.lastAt) =>
  sql<string>`to_char(max(${column}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const selectCoreUsage = (db: Reader) =>
  db
    .select({
      label: coreUsage.label,
      cause: coreUsage.cause,
      requests: sql`sum(${coreUsage.requests})`.mapWith(Number),
      lastAt: lastTime(coreUsage.lastAt),
    })
    .from(coreUsage)

/** `before` holds the totals of the days before the last 15. */
export const listCoreUsage = async (db: Reader) => {
  const recent = await selectCoreUsage(db).groupBy(coreUsage.label, coreUsage.cause)
  const before = await db.select().from(coreUsageTotal)
  return { recent, before }
}

interface UsageDays {
  /** A day in UTC, such as `2026-11-19`. The range includes both days. */
  readonly from: string
  readonly to: string
}

/** Returns null if the first day is over 15 days ago, because its rows may have been deleted. */
export const listCoreUsageOfDays = async (db: Reader, { from, to }: UsageDays) => {
  const isRecorded = sql<boolean>`${from}::date >= (statement_timestamp() at time zone 'UTC')::date - 15`
  const [known] = await db.select({ isRecorded }).from(sql`(select) as nothing`)
  if (!known?.isRecorded) return null
  return selectCoreUsage(db)
    .where(between(coreUsage.day, from, to))
    .groupBy(coreUsage.label, coreUsage.cause)
}

export const listUnmatchedUsage = (db: Reader) =>
  db
    .select({
      method: unmatchedUsage.method,
      shape: unmatchedUsage.shape,
      requests: sql`sum(${unmatchedUsage.requests})`.mapWith(Number),
      lastAt: lastTime(unmatchedUsage.lastAt),
    })
    .from(unmatchedUsage)
    .groupBy(unmatchedUsage.method, unmatchedUsage.shape)
    .orderBy(desc(sql`sum(${unmatchedUsage.requests})`))
    .limit(500)

/** Returns how many rows it moved; null if another instance is doing this. Call it in a transaction of its own. */
export const foldCoreUsage = async (tx: Queryable, limit: number): Promise<number | null> => {
  if (!(await tryLock(tx, 'core usage retention'))) return null
  const isOld = sql`day < (statement_timestamp() at time zone 'UTC')::date - 15`
  await tx.execute(sql`
    delete from unmatched_usage where (method, shape, day, instance_id) in (
      select method, shape, day, instance_id from unmatched_usage where ${isOld} order by day limit ${limit}::int)`)
  const [result] = await tx.execute<{ folded: number }>(sql`
    with folded as (
      delete from core_usage where (label, cause, day, instance_id) in (
        select label, cause, day, instance_id from core_usage where ${isOld} order by day limit ${limit}::int)
      returning *
    ), added as (
      insert into core_usage_total as total (label, cause, requests, last_at)
      select label, cause, sum(requests), max(last_at) from folded group by 1, 2
      on conflict (label, cause) do update set requests = total.requests + excluded.requests,
        last_at = greatest(total.last_at, excluded.last_at)
    )
    select count(*)::int as folded from folded`)
  return result?.folded ?? 0
}
