import { sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'

/**
 * Locks a name until the transaction ends, for work that one instance does at a time. Waits for no one: false if another
 * one holds the lock.
 */
export const tryLock = async (tx: Pick<Queryable, 'execute'>, name: string): Promise<boolean> => {
  const [row] = await tx.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`,
  )
  return row?.locked === true
}

/** Like the function above, but callers of this function share the lock. */
export const tryLockShared = async (tx: Pick<Queryable, 'execute'>, name: string): Promise<boolean> => {
  const [row] = await tx.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock_shared(hashtextextended(${name}, 0)) as locked`,
  )
  return row?.locked === true
}

/** The lock that each transaction shares which records a forwarded key of a route, and that its retirement takes. */
export const forwardedKeysLock = (route: string) => `forwarded keys of ${route}`

/**
 * Waits until no transaction is recording a forwarded key of the route: those of after this one know how it has changed the
 * route.
 */
export const lockForwardedKeys = async (tx: Pick<Queryable, 'execute'>, route: string) => {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${forwardedKeysLock(route)}, 0))`)
}

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
