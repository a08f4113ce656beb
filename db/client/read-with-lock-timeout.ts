import { sql } from 'drizzle-orm'
import type { Database, Reader } from './connection.ts'

/** Runs reads in a read-only transaction. One that waits longer than the timeout for a lock on a table fails. */
export const readWithLockTimeout = <T>(
  db: Database['db'],
  timeoutMs: number,
  work: (read: Reader) => Promise<T>,
): Promise<T> =>
  db.transaction(async (tx) => {
    const timeout = `${timeoutMs}ms`
    await tx.execute(
      sql`select set_config('lock_timeout', ${timeout}, true), set_config('transaction_read_only', 'on', true)`,
    )
    return work(tx)
  })
