import { sql } from 'drizzle-orm'
import { pgTable, uuid } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

/** The sessions of the console that have been ended by signing out. Their cookies would be valid for longer. */
export const consoleSignOuts = pgTable('console_sign_outs', {
  sessionId: uuid().primaryKey(),
  signedOutAt: timestamp().notNull().default(sql`statement_timestamp()`),
})
