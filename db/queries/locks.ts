import { sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'

/**
 * Locks a name until the transaction ends, for work one instance does at a time. Does not wait: false if another holds
 * the lock.
 */
export const tryLock = async (tx: Pick<Queryable, 'execute'>, name: string): Promise<boolean> => {
  const [row] = await tx.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`,
  )
  return row?.locked === true
}

/** Does the same, but its callers share the lock. */
export const tryLockShared = async (tx: Pick<Queryable, 'execute'>, name: string): Promise<boolean> => {
  const [row] = await tx.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock_shared(hashtextextended(${name}, 0)) as locked`,
  )
  return row?.locked === true
}

/** Names the lock that recording a route's forwarded key shares and the route's retirement takes. */
export const forwardedKeysLock = (route: string) => `forwarded keys of ${route}`

/** Waits until no transaction is recording a forwarded key of the route. Later ones see the change to the route. */
export const lockForwardedKeys = async (tx: Pick<Queryable, 'execute'>, route: string) => {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${forwardedKeysLock(route)}, 0))`)
}

/**
 * Serializes transactions that count an account's or track's use of a feature or quota, until they end. An advisory
 * lock, which the core takes too, so no row is needed.
 */
export const lockUsage = async (tx: Queryable, featureOrQuota: string, subjectId: string) => {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`${featureOrQuota} ${subjectId}`}, 0))`,
  )
}
