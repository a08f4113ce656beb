import { sql } from 'drizzle-orm'
import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

/**
 * Responses to requests with an idempotency key, and the keys of requests that went to the core. Both hashes are keyed,
 * so they reveal neither the client's key nor the request. Stored responses are encrypted with a key derived from the
 * client's key.
 */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    keyHash: text().primaryKey(),
    requestHash: text().notNull(),
    /** The encrypted checkpoint that a retry continues from; null if the request has none. */
    checkpoint: text(),
    response: text(),
    forwardedRoute: text(),
    expiresAt: timestamp().notNull(),
  },
  (table) => [
    index('idempotency_keys_over').on(table.expiresAt),
    index('idempotency_keys_forwarded')
      .on(table.forwardedRoute, table.expiresAt)
      .where(sql`${table.forwardedRoute} is not null`),
  ],
)
