import postgres from 'postgres'
import { formatCommand } from '#shared/format-command.ts'
import { selectServer } from './client/session-opener.ts'
import { trackedStartupSettings } from './client/session-settings.ts'
import { withDatabaseTimeout } from './client/unreachable.ts'
import { type Adopted, adoptDatabase } from './migrate/adopt-database.ts'
import { MigrationError } from './migrate/migration-error.ts'
import { withMigrationLock } from './migrate/migration-lock.ts'
import { applyMigrations } from './migrate/migration-record.ts'
import { formatNames, readSchemaState, type SchemaState } from './migrate/schema-state.ts'

const connectTimeoutMs = 10_000

const withSession = async <T>(
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

const defaultLockTimeoutMs = 60_000

interface MigrationOptions {
  /** How long to wait for another instance that is migrating, and for each table that another session is using. */
  readonly lockTimeoutMs?: number
}

interface Migrated {
  readonly applied: readonly string[]
  /** How many applied migrations this version does not know, because a newer version applied them. */
  readonly unknown: number
}

const describeUpToDate = ({ unknown }: SchemaState): Migrated => ({ applied: [], unknown })

/**
 * Applies missing migrations, all or none, one instance at a time. If none are missing, only reads, so that the role
 * needs no right to change the schema. `ca` is PEM. Throws `MigrationError`.
 */
export const migrateDatabase = (
  databaseUrl: string,
  ca?: string,
  { lockTimeoutMs = defaultLockTimeoutMs }: MigrationOptions = {},
): Promise<Migrated> =>
  withSession(databaseUrl, ca, async (sql) => {
    const state = await readSchemaState(sql)
    if (state.pending.length === 0) return describeUpToDate(state)
    return withMigrationLock(sql, lockTimeoutMs, async (tx) => {
      // Another instance may have migrated in the meantime.
      const { pending, identity, unknown } = await readSchemaState(tx)
      await applyMigrations(tx, pending, identity)
      return { applied: pending.map(({ name }) => name), unknown }
    })
  })

export const requireMigratedDatabase = (databaseUrl: string, ca?: string): Promise<Migrated> =>
  withSession(databaseUrl, ca, async (sql) => {
    const state = await readSchemaState(sql)
    if (state.pending.length > 0)
      throw new MigrationError(
        `the database lacks the migrations ${formatNames(state.pending)}: run ${formatCommand('migrate')}`,
      )
    return describeUpToDate(state)
  })

export const baselineDatabase = (
  databaseUrl: string,
  ca?: string,
  { lockTimeoutMs = defaultLockTimeoutMs }: MigrationOptions = {},
): Promise<Adopted> =>
  withSession(databaseUrl, ca, (sql) => withMigrationLock(sql, lockTimeoutMs, adoptDatabase))
