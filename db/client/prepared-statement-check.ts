import { withTimeout } from '#shared/with-timeout.ts'
import type { Session } from './session.ts'
import { createSessionOpener } from './session-opener.ts'
import { type Statements, selectRows } from './statements.ts'
import { runTransaction } from './transaction.ts'
import { convertConnectionError } from './unreachable.ts'

const timeoutMs = 5000
// No role or database has this as its default. If it is in force, the connection accepted it, which a pooler does not.
const unusualTimeoutMs = 4987
const attempts = 10

const readPid = async (sql: Statements) => {
  const [row] = await selectRows<{ pid: number }>(sql, 'select pg_backend_pid() as pid')
  return row?.pid
}

// A pooler that supports prepared statements renames them.
const keepsNames = async ({ sql }: Session) => {
  const rows = await sql<{ name: string }[]>`select name from pg_prepared_statements`
  return rows.some(({ name }) => name === rows.statement.name)
}

/**
 * Whether two client connections take turns on one server connection. In session mode a pooler never does that. In
 * transaction mode it usually gives the first free server connection to the second client's transaction.
 */
const shareServerConnections = async (first: Session, second: Session) => {
  const pids = new Set<number | undefined>()
  for (let attempt = 0; attempt < attempts; attempt++) {
    pids.add(await readPid(first.sql))
    // After a lost connection, the driver would send a statement and end the process.
    const isShared = await runTransaction(second, async (tx) => {
      // Before the other statement, which waits for this transaction's end if the pooler has no other connection.
      if (pids.has(await readPid(tx))) return true
      pids.add(await readPid(first.sql))
      return pids.size > 1
    })
    if (isShared) return true
  }
  return false
}

/**
 * Whether named prepared statements work: not behind a pooler that lends a server connection per transaction without
 * tracking what is prepared there. Null if the pooler had no connections for the check within 5 s. Throws if the
 * database is unreachable.
 */
export const supportsPreparedStatements = async (
  databaseUrl: string,
  ca: string | undefined,
  { responseTimeoutMs = timeoutMs } = {},
): Promise<boolean | null> => {
  const open = createSessionOpener(databaseUrl, {
    ca,
    applicationName: 'crossfade',
    prepare: true,
    statementTimeoutMs: unusualTimeoutMs,
    connectTimeoutMs: timeoutMs,
  })
  await using sessions = new AsyncDisposableStack()
  const openSession = async () => sessions.adopt(await open(), ({ sql }) => sql.end({ timeout: 0 }))
  const first = await openSession()
  const findOut = async () => {
    if (first.limits === null || !(await keepsNames(first))) return true
    return !(await shareServerConnections(first, await openSession()))
  }
  try {
    return await withTimeout(responseTimeoutMs, findOut(), () => null)
  } catch (error) {
    throw convertConnectionError(error)
  }
}
