import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import { withDatabaseTimeout } from './client/unreachable.ts'

// Any number will do, as long as every instance takes the same one.
const migrationLock = 7_466_932_501
const connectWithinMs = 10_000

/** Brings the database at this address up to the newest migration. Instances that start together take turns. */
export const migrateDatabase = async (url: string): Promise<void> => {
  // One connection: the lock belongs to its session, and a lost session gives it back.
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 5,
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => undefined,
  })
  try {
    // The driver goes on trying for ever where something listens that is no database.
    await withDatabaseTimeout(connectWithinMs, sql`select`)
    await sql`select pg_advisory_lock(${migrationLock})`
    await migrate(drizzle(sql), { migrationsFolder: join(import.meta.dirname, 'migrations') })
  } finally {
    await sql.end({ timeout: 5 })
  }
}
