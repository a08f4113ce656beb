import { index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { id, timestamp } from './columns.ts'

/** What was done with tracks and packs and by whom of the visitors; it outlives the track, the pack and the link. */
export const engagementEvents = pgTable(
  'engagement_events',
  {
    id: id(),
    /** Whose track or pack it is. */
    ownerId: text().notNull(),
    type: text().notNull(),
    occurredAt: timestamp().notNull(),
    packId: text(),
    trackId: text(),
    linkKind: text({ enum: ['track', 'pack'] }),
    linkId: text(),
    source: text(),
    channel: text(),
    positionMs: integer(),
    durationMs: integer(),
    visitorId: text(),
    sessionId: text(),
  },
  (table) => [index('engagement_events_newest_first').on(table.ownerId, table.occurredAt, table.id)],
)
