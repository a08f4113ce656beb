import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

/**
 * Stored objects to remove. When a row is deleted, a trigger lists its object here. A copy is listed before it is made,
 * and stays listed until a row that refers to it is committed, so a crash leaves no orphan.
 */
export const objectRemovals = pgTable(
  'object_removals',
  {
    storageKey: text().primaryKey(),
    removeAfter: timestamp().notNull(),
  },
  (table) => [index('object_removals_due').on(table.removeAfter)],
)
