import { sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'

/**
 * Serializes the transactions that count how much of a feature an account uses. Native routes and the core take the
 * same advisory lock. It is held until the transaction ends and does not require a row for the account.
 */
export const lockFeatureUsage = async (tx: Queryable, feature: string, accountId: string) => {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`${feature} ${accountId}`}, 0))`)
}
