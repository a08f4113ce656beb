import { sql } from 'drizzle-orm'
import type { Queryable } from '../connection.ts'
import { rateLimits } from '../schema/rate-limits.ts'

type Executor = Pick<Queryable, 'execute'>

export interface Use {
  readonly used: number
  /** Seconds until the count begins anew. */
  readonly resetsInS: number
}

/** Counts uses and answers how many there are by now, in one statement: no two instances count the same one. */
export const countUses = async (db: Executor, key: string, uses: number, windowS: number): Promise<Use> => {
  const [use] = await db.execute<{ used: number; resetsInS: number }>(sql`
    insert into ${rateLimits} as known (key, used, resets_at)
    values (${key}, ${uses}::int, statement_timestamp() + ${windowS}::int * interval '1 second')
    on conflict (key) do update set
      used = case when known.resets_at <= statement_timestamp() then excluded.used else known.used + excluded.used end,
      resets_at = case when known.resets_at <= statement_timestamp() then excluded.resets_at else known.resets_at end
    returning used, extract(epoch from resets_at - statement_timestamp())::float8 as "resetsInS"`)
  return use ?? { used: uses, resetsInS: windowS }
}

/** Takes one use back. */
export const uncountUse = async (db: Executor, key: string) => {
  await db.execute(sql`update ${rateLimits} set used = used - 1 where key = ${key} and used > 0`)
}

/** Forgets some of what does not count any more. */
export const deleteEndedCounts = async (db: Executor) => {
  await db.execute(sql`
    delete from ${rateLimits} where key in (
      select key from ${rateLimits} where resets_at <= statement_timestamp() limit 1000 for update skip locked)`)
}
