import { sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'
import { rateLimits } from '../schema/rate-limits.ts'

type Executor = Pick<Queryable, 'execute'>

/** Uses of a limit, to be counted. */
export interface LimitUse {
  readonly key: string
  readonly uses: number
  readonly windowS: number
}

/** A count as it stands by now. */
export interface LimitCount {
  readonly used: number
  /** Seconds until it begins anew. */
  readonly resetsInS: number
}

/**
 * Counts uses of different keys, in one statement: no two instances count the same one. Keys are taken in their order,
 * so that two such statements never wait for each other. Answers in the order of `uses`.
 */
export const reserveUses = async (db: Executor, uses: readonly LimitUse[]): Promise<LimitCount[]> => {
  const counts = await db.execute<{ key: string; used: number; resetsInS: number }>(sql`
    insert into ${rateLimits} as known (key, used, resets_at)
    select key, uses, statement_timestamp() + "windowS" * interval '1 second'
    from json_to_recordset(${JSON.stringify(uses)}::text::json) as claim (key text, uses integer, "windowS" integer)
    order by key
    on conflict (key) do update set
      used = case when known.resets_at <= statement_timestamp() then excluded.used else known.used + excluded.used end,
      resets_at = case when known.resets_at <= statement_timestamp() then excluded.resets_at else known.resets_at end
    returning key, used, extract(epoch from resets_at - statement_timestamp())::float8 as "resetsInS"`)
  const countOf = new Map(counts.map((count) => [count.key, count]))
  return uses.map(({ key, uses: used, windowS }) => countOf.get(key) ?? { used, resetsInS: windowS })
}

/** Takes one use back. */
export const refundUse = async (db: Executor, key: string) => {
  await db.execute(sql`update ${rateLimits} set used = used - 1 where key = ${key} and used > 0`)
}

/** Forgets some of what does not count any more. */
export const deleteEndedCounts = async (db: Executor) => {
  await db.execute(sql`
    delete from ${rateLimits} where key in (
      select key from ${rateLimits} where resets_at <= statement_timestamp() limit 1000 for update skip locked)`)
}
