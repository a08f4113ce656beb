import { index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

/**
 * How much of a limit somebody has used of late; all instances count here. The key is a keyed hash: neither an
 * address nor a token can be read from it. The table is unlogged: a crash forgives what was counted.
 */
export const rateLimits = pgTable(
  'rate_limits',
  {
    key: text().primaryKey(),
    used: integer().notNull(),
    /** From then on the count begins anew. */
    resetsAt: timestamp().notNull(),
  },
  (table) => [index('rate_limits_over').on(table.resetsAt)],
)
