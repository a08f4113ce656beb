import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

/**
 * Stored objects that are scheduled for removal, because no row refers to them any more or yet. A copy is listed
 * before it is made and until the row that refers to it is committed, so a crash in between leaves no orphaned
 * object. A trigger inserts the object of a deleted row.
 */
export const objectRemovals = pgTable(
  'object_removals',
  {
    storageKey: text().primaryKey(),
    removeAfter: timestamp().notNull(),
  },
  (table) => [index('object_removals_due').on(table.removeAfter)],
)
