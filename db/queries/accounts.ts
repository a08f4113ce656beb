import { sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'

/**
 * Lets the transactions that count what one account uses of a feature pass one after another, here and in the core
 * alike: both take the lock by this name. It is held until the transaction ends, and the account needs no row.
 */
export const lockUseOfFeature = async (tx: Queryable, feature: string, accountId: string) => {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`${feature} ${accountId}`}, 0))`)
}
