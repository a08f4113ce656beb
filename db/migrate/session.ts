import postgres from 'postgres'
import { selectServer } from '../client/session-opener.ts'
import { trackedStartupSettings } from '../client/session-settings.ts'
import { withDatabaseTimeout } from '../client/unreachable.ts'

const connectTimeoutMs = 10_000

/** Runs `work` on one connection and then closes it. `ca` is PEM. */
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
    // A pooler may run each transaction on a different connection, which would not know statements prepared earlier.
    prepare: false,
    fetch_types: false,
    connection: trackedStartupSettings,
    onnotice: () => undefined,
  })
  try {
    // Without a timeout, the driver would retry forever if there is no database at the address.
    await withDatabaseTimeout(connectTimeoutMs, sql`select`)
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
