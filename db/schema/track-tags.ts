import { sql } from 'drizzle-orm'
import { check, doublePrecision, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { flag, id, timestamps } from './columns.ts'
import { trackId } from './tracks.ts'

/** A track's tags. Analysis never replaces tags that the owner edited or hid. */
export const trackTags = pgTable(
  'track_tags',
  {
    id: id(),
    trackId: trackId(),
    category: text().notNull(),
    value: text().notNull(),
    label: text().notNull(),
    numericValue: doublePrecision(),
    confidence: doublePrecision(),
    source: text().notNull(),
    hidden: flag(),
    userEdited: flag(),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex('track_tags_said_once').on(table.trackId, table.category, table.value),
    check('track_tags_confidence', sql`${table.confidence} between 0 and 1`),
  ],
)
