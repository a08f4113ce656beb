import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import { createPostgresJsTls } from './client/database-tls.ts'
import { withDatabaseTimeout } from './client/unreachable.ts'

// An arbitrary number that is the same for every instance.
const migrationLock = 7_466_932_501
const connectTimeoutMs = 10_000

/**
 * Applies all migrations that the database lacks. Instances that start together apply them one after the other. `ca` is
 * the PEM of the trusted certificates.
 */
export const migrateDatabase = async (databaseUrl: string, ca?: string): Promise<void> => {
  const { url, ssl } = createPostgresJsTls(databaseUrl, ca)
  // One connection: the lock belongs to its session and is released with it.
  const sql = postgres(url, {
    ssl,
    max: 1,
    connect_timeout: 5,
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => undefined,
  })
  try {
    // The driver retries without end when the address is not that of a database.
    await withDatabaseTimeout(connectTimeoutMs, sql`select`)
    await sql`select pg_advisory_lock(${migrationLock})`
    await migrate(drizzle(sql), { migrationsFolder: join(import.meta.dirname, 'migrations') })
  } finally {
    await sql.end({ timeout: 5 })
  }
}
