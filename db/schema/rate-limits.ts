import { index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

/**
 * The used part of each rate limit, shared by all instances. The key is a keyed hash, which reveals neither addresses
 * nor tokens. Unlogged: a database crash resets the counts.
 */
export const rateLimits = pgTable(
  'rate_limits',
  {
    key: text().primaryKey(),
    /** Admitted requests, plus uses that instances hold in advance. */
    used: integer().notNull(),
    /** The part of `used` that instances hold in advance. */
    held: integer().notNull().default(0),
    /** What the last reservation was granted. PostgreSQL 17 and earlier cannot return values from before an update. */
    granted: integer().notNull().default(0),
    /** When the count resets. */
    resetsAt: timestamp().notNull(),
  },
  (table) => [index('rate_limits_over').on(table.resetsAt)],
)
