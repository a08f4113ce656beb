import { sql } from 'drizzle-orm'
import type { Reader } from '../client/connection.ts'
import { requireRow } from '../client/drizzle.ts'

/**
 * When a change happens, by the database's clock, which all instances share. Not `now()`, which is when the transaction
 * started: a change that waited for a row lock would appear older than the change it waited for.
 */
export const statementTimestamp = sql<string>`statement_timestamp()`

export const findDatabaseTimeMs = async (db: Reader): Promise<number> => {
  const time = sql<number>`extract(epoch from ${statementTimestamp}) * 1000`.mapWith(Number)
  return requireRow(await db.select({ time }).from(sql`(select) as nothing`)).time
}
