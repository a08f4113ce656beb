import { and, desc, eq, sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'
import { engagementEvents } from '../schema/engagement-events.ts'

type NewEngagementEventRow = typeof engagementEvents.$inferInsert

/** An event as `insertEngagementEvents` takes it: a text is all that has to be held until it is written. */
export const serializeEngagementEvent = (event: NewEngagementEventRow) => JSON.stringify(event)

/** All of them in one statement; one that is there already stays as it is. */
export const insertEngagementEvents = async (db: Pick<Queryable, 'execute'>, events: readonly string[]) => {
  // One parameter for all: a statement of its own for each number of rows would be built and planned each time.
  await db.execute(sql`
    insert into ${engagementEvents} (
      id, owner_id, type, occurred_at, pack_id, track_id, link_kind, link_id, source, channel, position_ms,
      duration_ms, visitor_id, session_id)
    select
      id, "ownerId", type, "occurredAt", "packId", "trackId", "linkKind", "linkId", source, channel, "positionMs",
      "durationMs", "visitorId", "sessionId"
    from json_to_recordset(${`[${events.join(',')}]`}::text::json) as event (
      id text, "ownerId" text, type text, "occurredAt" timestamptz, "packId" text, "trackId" text, "linkKind" text,
      "linkId" text, source text, channel text, "positionMs" integer, "durationMs" integer, "visitorId" text,
      "sessionId" text)
    on conflict do nothing`)
}

/**
 * What was done with an account's things, newest first; `after` is the last one of the page before. While the table
 * is locked this fails at once: pages that only write to it are read on the same connections and must not wait for one.
 */
export const listEngagementEventsOfOwner = async (
  tx: Queryable,
  ownerId: string,
  after: { readonly at: string; readonly id: string } | null,
  limit: number,
) => {
  const { id, occurredAt } = engagementEvents
  await tx.execute(sql`set local lock_timeout = '100ms'`)
  return tx
    .select()
    .from(engagementEvents)
    .where(
      and(
        eq(engagementEvents.ownerId, ownerId),
        after ? sql`(${occurredAt}, ${id}) < (${after.at}::timestamptz, ${after.id})` : undefined,
      ),
    )
    .orderBy(desc(occurredAt), desc(id))
    .limit(limit)
}
