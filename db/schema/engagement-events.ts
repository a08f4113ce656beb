import { index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { id, timestamp } from './columns.ts'

/** What visitors did with tracks and packs. A row remains when its track, pack or link is gone. */
export const engagementEvents = pgTable(
  'engagement_events',
  {
    id: id(),
    /** The owner of the track or pack. */
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
