import { sql } from 'drizzle-orm'
import type { Reader } from '../client/connection.ts'
import { requireRow } from '../client/drizzle.ts'

/**
 * The time of a change by the clock of the database, which all instances share. Every change locks its row in an
 * earlier statement. With `now()`, the start of the transaction, a change that waited for that lock would have an
 * earlier time than the change it waited for.
 */
export const statementTimestamp = sql<string>`statement_timestamp()`

/** The time by the clock of the database, in Unix milliseconds. */
export const findDatabaseTimeMs = async (db: Reader): Promise<number> => {
  const time = sql<number>`extract(epoch from ${statementTimestamp}) * 1000`.mapWith(Number)
  return requireRow(await db.select({ time }).from(sql`(select) as nothing`)).time
}
