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

/** Likewise, but shares the lock with others that call this function. */
export const tryLockShared = async (tx: Pick<Queryable, 'execute'>, name: string): Promise<boolean> => {
  const [row] = await tx.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock_shared(hashtextextended(${name}, 0)) as locked`,
  )
  return row?.locked === true
}
