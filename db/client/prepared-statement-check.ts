import { withTimeout } from '#shared/with-timeout.ts'
import type { Session } from './session.ts'
import { createSessionOpener } from './session-opener.ts'
import { type Statements, selectRows } from './statements.ts'
import { runTransaction } from './transaction.ts'
import { convertConnectionError } from './unreachable.ts'

const timeoutMs = 5000
// No role or database has this timeout as its default. So if it is in force, our connection has set it, and there is no
// pooler in between: a pooler would not allow that.
const unusualTimeoutMs = 4987
const attempts = 10

const readPid = async (sql: Statements) => {
  const [row] = await selectRows<{ pid: number }>(sql, 'select pg_backend_pid() as pid')
  return row?.pid
}

// A pooler that supports prepared statements gives them different names.
const keepsNames = async ({ sql }: Session) => {
  const rows = await sql<{ name: string }[]>`select name from pg_prepared_statements`
  return rows.some(({ name }) => name === rows.statement.name)
}

/**
 * Whether two client connections take turns on one server connection. Behind a pooler in session mode, they never do.
 * In transaction mode, the second client's transaction usually gets the server connection that the first client has
 * just used.
 */
const shareServerConnections = async (first: Session, second: Session) => {
  const pids = new Set<number | undefined>()
  for (let attempt = 0; attempt < attempts; attempt++) {
    pids.add(await readPid(first.sql))
    // Uses `runTransaction`, because the driver's own transaction would send a statement after the connection is lost,
    // which would end the process.
    const isShared = await runTransaction(second, async (tx) => {
      // Checked first: if the pooler has no other connection, the statement below waits for this transaction to end.
      if (pids.has(await readPid(tx))) return true
      pids.add(await readPid(first.sql))
      return pids.size > 1
    })
    if (isShared) return true
  }
  return false
}

/**
 * Whether named prepared statements work. They fail behind a pooler that lends a server connection per transaction
 * without tracking what is prepared on it. Returns null if the pooler had no connections for the check within 5 s.
 * Throws if the database is unreachable.
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
