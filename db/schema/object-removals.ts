import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

/**
 * Stored objects to remove. If a row is deleted, a trigger lists its object. A copy is listed before it is made and
 * until a row that refers to it is committed, so a crash leaves no orphan.
 */
export const objectRemovals = pgTable(
  'object_removals',
  {
    storageKey: text().primaryKey(),
    removeAfter: timestamp().notNull(),
  },
  (table) => [index('object_removals_due').on(table.removeAfter)],
)
