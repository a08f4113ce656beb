import { sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'
import { rateLimits } from '../schema/rate-limits.ts'

type RateLimitExecutor = Pick<Queryable, 'execute'>

/** Uses of a limit to reserve. */
export interface LimitUse {
  readonly key: string
  readonly uses: number
  readonly windowS: number
}

/** The current count of a limit. */
export interface LimitCount {
  readonly used: number
  /** Seconds until the count resets. */
  readonly resetsInS: number
}

/**
 * Reserves uses of different keys in one atomic statement. Rows are locked in key order, so that concurrent statements
 * cannot deadlock. Returns the counts in the order of `uses`.
 */
export const reserveUses = async (
  db: RateLimitExecutor,
  uses: readonly LimitUse[],
): Promise<LimitCount[]> => {
  const counts = await db.execute<{ key: string; used: number; resetsInS: number }>(sql`
    insert into ${rateLimits} as known (key, used, resets_at)
    select key, uses, statement_timestamp() + "windowS" * interval '1 second'
    from json_to_recordset(${JSON.stringify(uses)}::text::json) as requested (key text, uses integer, "windowS" integer)
    order by key
    on conflict (key) do update set
      used = case when known.resets_at <= statement_timestamp() then excluded.used else known.used + excluded.used end,
      resets_at = case when known.resets_at <= statement_timestamp() then excluded.resets_at else known.resets_at end
    returning key, used, extract(epoch from resets_at - statement_timestamp())::float8 as "resetsInS"`)
  const countsByKey = new Map(counts.map((count) => [count.key, count]))
  return uses.map(({ key, uses: used, windowS }) => countsByKey.get(key) ?? { used, resetsInS: windowS })
}

/** Refunds one use. */
export const refundUse = async (db: RateLimitExecutor, key: string) => {
  await db.execute(sql`update ${rateLimits} set used = used - 1 where key = ${key} and used > 0`)
}

/** Deletes a batch of expired counts. */
export const deleteExpiredCounts = async (db: RateLimitExecutor) => {
  await db.execute(sql`
    delete from ${rateLimits} where key in (
      select key from ${rateLimits} where resets_at <= statement_timestamp() limit 1000 for update skip locked)`)
}
