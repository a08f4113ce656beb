import { and, desc, eq, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../connection.ts'
import { engagementEvents } from '../schema/engagement-events.ts'

export type NewEngagementEventRow = typeof engagementEvents.$inferInsert

/** All of them in one statement; one that is there already stays as it is. */
export const insertEngagementEvents = async (
  db: Pick<Queryable, 'insert'>,
  events: readonly NewEngagementEventRow[],
) => {
  await db
    .insert(engagementEvents)
    .values([...events])
    .onConflictDoNothing()
}

/** What was done with an account's things, newest first; `after` is the last one of the page before. */
export const listEngagementEventsOfOwner = (
  db: Reader,
  ownerId: string,
  after: { readonly at: string; readonly id: string } | null,
  limit: number,
) => {
  const { id, occurredAt } = engagementEvents
  return db
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
