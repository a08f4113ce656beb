import { sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'

export const tryLock = async (tx: Pick<Queryable, 'execute'>, name: string): Promise<boolean> => {
  const [row] = await tx.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`,
  )
  return row?.locked === true
}

export const tryLockShared = async (tx: Pick<Queryable, 'execute'>, name: string): Promise<boolean> => {
  const [row] = await tx.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock_shared(hashtextextended(${name}, 0)) as locked`,
  )
  return row?.locked === true
}

/** Recording a key takes it as a shared lock; retiring the route takes it exclusively. */
export const forwardedKeysLock = (route: string) => `forwarded keys of ${route}`

/**
 * Waits until no transaction is recording a forwarded key of the route. Transactions that record one later see this
 * transaction's change to the route.
 */
export const lockForwardedKeys = async (tx: Pick<Queryable, 'execute'>, route: string) => {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${forwardedKeysLock(route)}, 0))`)
}

/**
 * Lets only one transaction at a time count an account's or track's use of a feature or quota. This is an advisory
 * lock, which the core takes too, so no row is needed.
 */
export const lockUsage = async (tx: Queryable, featureOrQuota: string, subjectId: string) => {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`${featureOrQuota} ${subjectId}`}, 0))`,
  )
}
