import { sql } from 'drizzle-orm'

/**
 * The moment of a change by the database's clock, which all instances share. Every change locks its row in an
 * earlier statement; with `now()`, the start of the transaction, a change that waited for that lock would bear an
 * earlier moment than the one it waited for.
 */
export const changedNow = sql<string>`statement_timestamp()`
