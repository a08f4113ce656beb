import { sql } from 'drizzle-orm'
import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

/**
 * The responses of requests with an idempotency key, and the keys of those that went to the core. Both hashes are keyed and reveal neither the client's key nor the
 * request. What is stored of a response is encrypted with a key that derives from the client's own.
 */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    keyHash: text().primaryKey(),
    requestHash: text().notNull(),
    /** What a retry continues from, encrypted; null if the request had no such step. */
    checkpoint: text(),
    /** Encrypted; null while the request has not been completed. */
    response: text(),
    /** The label of the route for which the core got a request with this key; null if it got none. */
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
