import { index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

/**
 * The used part of each rate limit, shared by all instances. The key is a keyed hash, which reveals neither addresses
 * nor tokens. The table is unlogged: a database crash resets the counts.
 */
export const rateLimits = pgTable(
  'rate_limits',
  {
    key: text().primaryKey(),
    used: integer().notNull(),
    /** When the count resets. */
    resetsAt: timestamp().notNull(),
  },
  (table) => [index('rate_limits_over').on(table.resetsAt)],
)
