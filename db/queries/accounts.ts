import { sql } from 'drizzle-orm'
import type { Queryable } from '../connection.ts'

/**
 * Lets the transactions that claim something for one account pass one after another. The lock is held until the
 * transaction ends, and the account needs no row.
 */
export const lockAccount = async (tx: Queryable, accountId: string) => {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`account ${accountId}`}, 0))`)
}
