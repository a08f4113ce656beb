import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { setLocalSettings } from '../client/session-settings.ts'
import { selectRows } from '../client/statements.ts'
import { runTransaction, type Transaction } from '../client/transaction.ts'
import { MigrationError } from './migration-error.ts'

// A process that is suspended while migrating must not keep its locks.
const idleTimeoutS = 60

// While a statement waits for a table, all later statements on that table queue behind it. So the statement gives up
// soon, and the migration starts over after a pause.
const tableTimeoutMs = 2500
const pauseMs = 1000

// An arbitrary number, but the same for every instance and version.
const migrationLock = 7_466_932_501

// In `pg_locks`, the 64-bit key of an advisory lock is split into two numbers.
const findHolder = `select pid, xact_start as since from pg_locks left join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and classid::bigint = ${Math.floor(migrationLock / 2 ** 32)} and objid::bigint = ${migrationLock % 2 ** 32}`

const describeHolder = async (sql: postgres.Sql, timeoutMs: number) => {
  const [holder] = await selectRows<{ pid: number; since: Date | null }>(sql, findHolder)
  const since = holder?.since ? ` since ${holder.since.toISOString()}` : ''
  const remedy = holder
    ? ` (process ${holder.pid} of the database): start again when it has finished, or cancel it with SELECT pg_terminate_backend(${holder.pid})`
    : ': start again'
  return `another instance has been migrating the database${since} and did not finish within ${timeoutMs / 1000} s${remedy}`
}

const attempt = async <T>(
  sql: postgres.Sql,
  deadline: number,
  timeoutMs: number,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> => {
  let isLocked = false
  const remainingMs = () => Math.max(1, Math.ceil(deadline - performance.now()))
  try {
    return await runTransaction({ sql, limits: null }, async (tx) => {
      // After the wait, a statement must see what the other instance has committed, whatever the role's default
      // isolation is.
      await tx.unsafe(`set transaction isolation level read committed;
        set local statement_timeout = 0; set local idle_in_transaction_session_timeout = '${idleTimeoutS}s';
        set local lock_timeout = ${remainingMs()}; ${setLocalSettings}`)
      await tx.unsafe(`select pg_advisory_xact_lock(${migrationLock})`)
      isLocked = true
      await tx.unsafe(`set local lock_timeout = ${Math.min(tableTimeoutMs, remainingMs())}`)
      return work(tx)
    })
  } catch (error) {
    if (isLocked || !(error instanceof postgres.PostgresError) || error.code !== '55P03') throw error
    throw new MigrationError(await describeHolder(sql, timeoutMs))
  }
}

/**
 * Runs `work` in a transaction that only one instance at a time can run. While other sessions use its tables, retries
 * until the timeout. The lock belongs to the transaction, because behind a pooler, a session-level lock would outlive
 * the client's session.
 */
export const withMigrationLock = async <T>(
  sql: postgres.Sql,
  timeoutMs: number,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> => {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    try {
      return await attempt(sql, deadline, timeoutMs, work)
    } catch (error) {
      const isTransient = error instanceof MigrationError && error.isTransient
      if (!isTransient || performance.now() + pauseMs >= deadline) throw error
    }
    await sleep(pauseMs)
  }
}
