import { sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'

/**
 * Serializes the transactions that count how much of a feature or a quota an account or a track uses. Native routes and
 * the core take the same advisory lock. It is held until the transaction ends and does not require a row for the
 * account.
 */
export const lockUsage = async (tx: Queryable, featureOrQuota: string, subjectId: string) => {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`${featureOrQuota} ${subjectId}`}, 0))`,
  )
}
