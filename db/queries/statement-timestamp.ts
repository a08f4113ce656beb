import { sql } from 'drizzle-orm'

/**
 * The time of a change by the clock of the database, which all instances share. Every change locks its row in an
 * earlier statement. With `now()`, the start of the transaction, a change that waited for that lock would have an
 * earlier time than the change it waited for.
 */
export const statementTimestamp = sql<string>`statement_timestamp()`
