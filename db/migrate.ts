import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import { withDatabaseTimeout } from './client/unreachable.ts'

// An arbitrary number that is the same for every instance.
const migrationLock = 7_466_932_501
const connectTimeoutMs = 10_000

/** Applies all migrations that the database lacks. Instances that start together apply them one after the other. */
export const migrateDatabase = async (url: string): Promise<void> => {
  // One connection: the lock belongs to its session and is released with it.
  const sql = postgres(url, {
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
