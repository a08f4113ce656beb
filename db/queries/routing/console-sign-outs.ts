import { eq, lt, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { firstRow } from '../../client/drizzle.ts'
import { consoleSignOuts } from '../../schema/routing.ts'

export const insertConsoleSignOut = async (db: Queryable, sessionId: string) => {
  await db.insert(consoleSignOuts).values({ sessionId }).onConflictDoNothing()
}

export const findConsoleSignOut = async (db: Reader, sessionId: string) =>
  firstRow(
    await db
      .select({ signedOutAt: consoleSignOuts.signedOutAt })
      .from(consoleSignOuts)
      .where(eq(consoleSignOuts.sessionId, sessionId)),
  )

/**
 * Deletes sign-outs that are over a day old. Their sessions have expired by then, even if the instances' clocks differ.
 */
export const deleteOldConsoleSignOuts = async (db: Queryable) => {
  await db
    .delete(consoleSignOuts)
    .where(lt(consoleSignOuts.signedOutAt, sql`statement_timestamp() - interval '1 day'`))
}
