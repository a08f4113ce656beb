import { and, gt, inArray, sql } from 'drizzle-orm'
import type { Reader } from '../client/connection.ts'
import { evidenceCounts, routeUsage } from '../schema/comparisons.ts'

const aWeekAgo = sql`(statement_timestamp() at time zone 'UTC')::date - 7`

/** The samples of the accounts, or of the share links, that have used these routes today or on the six days before. */
export const listActiveAccounts = async (
  db: Reader,
  labels: readonly string[],
): Promise<(readonly string[])[]> => {
  const used = await db
    .select({ accounts: routeUsage.accounts })
    .from(routeUsage)
    .where(and(inArray(routeUsage.label, [...labels]), gt(routeUsage.day, aWeekAgo)))
  // Also those that native has served, of which the core was asked.
  const compared = await db
    .select({ accounts: evidenceCounts.accounts })
    .from(evidenceCounts)
    .where(and(inArray(evidenceCounts.label, [...labels]), gt(evidenceCounts.day, aWeekAgo)))
  return [...used, ...compared].map(({ accounts }) => accounts)
}
