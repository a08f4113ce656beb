import { and, desc, eq, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { engagementEvents } from '../../schema/engagement.ts'
import type { PageRange } from '../page-range.ts'

type NewEngagementEventRow = typeof engagementEvents.$inferInsert

/** Serializes an event for `insertEngagementEvents`, so that a buffered event needs no more memory than this string. */
export const serializeEngagementEvent = (event: NewEngagementEventRow) => JSON.stringify(event)

/**
 * All columns with their types. If the table gets a new column, this fails to compile until the column is added here.
 */
const columnTypes = {
  id: 'text',
  ownerId: 'text',
  type: 'text',
  occurredAt: 'timestamptz',
  packId: 'text',
  trackId: 'text',
  linkKind: 'text',
  linkId: 'text',
  source: 'text',
  channel: 'text',
  positionMs: 'integer',
  durationMs: 'integer',
  visitorId: 'text',
  sessionId: 'text',
} satisfies Record<keyof NewEngagementEventRow, 'text' | 'timestamptz' | 'integer'>

const fields = Object.entries(columnTypes)
const toSnakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const columnList = sql.raw(fields.map(([name]) => toSnakeCase(name)).join(', '))
const fieldList = sql.raw(fields.map(([name]) => `"${name}"`).join(', '))
const typedFieldList = sql.raw(fields.map(([name, type]) => `"${name}" ${type}`).join(', '))

export const insertEngagementEvents = async (db: Pick<Queryable, 'execute'>, events: readonly string[]) => {
  // One parameter holds all events. Otherwise, a different statement would have to be built and planned for each number
  // of rows.
  await db.execute(sql`
    insert into ${engagementEvents} (${columnList})
    select ${fieldList}
    from json_to_recordset(${`[${events.join(',')}]`}::text::json) as event (${typedFieldList})
    on conflict do nothing`)
}

export const listEngagementEventsOfOwner = async (
  db: Reader,
  ownerId: string,
  { after, limit }: PageRange,
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
