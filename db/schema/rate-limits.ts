import { index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

/**
 * How much of each rate limit is used, on all instances together. The key is a keyed hash, so it reveals neither
 * addresses nor tokens. The table is unlogged, so a database crash resets the counts.
 */
export const rateLimits = pgTable(
  'rate_limits',
  {
    key: text().primaryKey(),
    /** Admitted requests plus the uses that instances hold in advance. */
    used: integer().notNull(),
    held: integer().notNull().default(0),
    /**
     * How many uses the last reservation was granted. Stored, because PostgreSQL 17 and earlier cannot return values
     * from before an update.
     */
    granted: integer().notNull().default(0),
    resetsAt: timestamp().notNull(),
  },
  (table) => [index('rate_limits_over').on(table.resetsAt)],
)
