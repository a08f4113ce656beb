import postgres from 'postgres'
import { selectServer } from '../client/session-opener.ts'
import { trackedStartupSettings } from '../client/session-settings.ts'
import { withDatabaseTimeout } from '../client/unreachable.ts'

const connectTimeoutMs = 10_000

/** Runs `work` on one connection that is closed afterwards. `ca` is the PEM of the trusted certificates. */
export const withSession = async <T>(
  databaseUrl: string,
  ca: string | undefined,
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> => {
  const { url, ssl } = await selectServer(databaseUrl, ca)
  const sql = postgres(url, {
    ssl,
    max: 1,
    connect_timeout: 5,
    idle_timeout: 0,
    max_lifetime: null,
    // A pooler may run every transaction on another connection, which does not know statements prepared before.
    prepare: false,
    fetch_types: false,
    connection: trackedStartupSettings,
    onnotice: () => undefined,
  })
  try {
    // The driver retries without end when the address is not that of a database.
    await withDatabaseTimeout(connectTimeoutMs, sql`select`)
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
