import { sql } from 'drizzle-orm'
import type { Queryable } from '../../client/connection.ts'
import { engagementVisits } from '../../schema/engagement.ts'

type RetentionExecutor = Pick<Queryable, 'execute'>

interface EventDeletion {
  readonly before: string
  readonly afterOwner: string
  readonly owners: number
  readonly events: number
}

/**
 * Deletes old events of up to `owners` owners, at most `events` in total. Returns how many it deleted, and the last
 * owner that it reached, or null if there are no more. Keeps the rollups. The only index starts with the owner, so a
 * recursive query skips from owner to owner (loose index scan).
 */
export const deleteEngagementEvents = async (
  db: RetentionExecutor,
  { before, afterOwner, owners, events }: EventDeletion,
) => {
  const [result] = await db.execute<{ deleted: number; lastOwner: string | null }>(sql`
    with recursive owners as (
      (select owner_id, 1 as place from engagement_events where owner_id > ${afterOwner} order by owner_id limit 1)
      union all
      select (select owner_id from engagement_events as following
        where following.owner_id > owners.owner_id order by following.owner_id limit 1), place + 1
      from owners where owner_id is not null and place < ${owners}::int
    ), old as (
      select event.id from owners, lateral (
        select id from engagement_events
        where owner_id = owners.owner_id and occurred_at < ${before}::timestamptz
        order by occurred_at limit ${events}::int
      ) as event
      limit ${events}::int
    ), deleted as (
      delete from engagement_events where id in (select id from old) returning 1
    )
    select (select count(*) from deleted)::int as deleted, max(owner_id) as "lastOwner" from owners`)
  return result ?? { deleted: 0, lastOwner: null }
}

export const countPagesOfVisits = async (db: RetentionExecutor) => {
  const [size] = await db.execute<{ pages: number }>(sql`
    select (pg_relation_size('engagement_visits') / current_setting('block_size')::int)::int as pages`)
  return size?.pages ?? 0
}

/** There is no index on the day, but scanning a page is fast. */
export const deleteVisitsOnPages = async (
  db: RetentionExecutor,
  { day, from, to }: { readonly day: string; readonly from: number; readonly to: number },
) => {
  await db.execute(sql`
    delete from ${engagementVisits}
    where ctid >= ${`(${from},0)`}::tid and ctid < ${`(${to},0)`}::tid and day < ${day}::date`)
}
