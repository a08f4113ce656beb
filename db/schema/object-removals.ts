import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

/**
 * Objects of the store that are to be removed: those nothing refers to any more, and those nothing refers to yet. A
 * copy stands here from before it is made until the row that refers to it is committed, so that a crash in between
 * leaves nothing behind. Rows that refer to an object enter it here when they are deleted, by a trigger.
 */
export const objectRemovals = pgTable(
  'object_removals',
  {
    storageKey: text().primaryKey(),
    removeAfter: timestamp().notNull(),
  },
  (table) => [index('object_removals_due').on(table.removeAfter)],
)
