import { sql } from 'drizzle-orm'
import { pgTable, uuid } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

/**
 * Console sessions that ended with a sign-out. Without these rows, their cookies would stay valid until they expire.
 */
export const consoleSignOuts = pgTable('console_sign_outs', {
  sessionId: uuid().primaryKey(),
  signedOutAt: timestamp().notNull().default(sql`statement_timestamp()`),
})
