import { type Statements, selectRows } from '../client/statements.ts'
import { withDatabaseTimeout } from '../client/unreachable.ts'
import { type Identity, MigrationError } from './migration-error.ts'
import { readRecord } from './migration-record.ts'
import { type Migration, readMigrations } from './migrations.ts'

const oldestVersion = 150_000

export interface SchemaState {
  readonly identity: Identity
  readonly isRecorded: boolean
  readonly pending: readonly Migration[]
  readonly unknown: number
}

const findSession = `select current_user as "user", current_database() as database,
  current_setting('server_version') as version, current_setting('server_version_num')::int as number`

interface Session extends Identity {
  readonly version: string
  readonly number: number
}

export const formatNames = (migrations: readonly Migration[]) => migrations.map(({ name }) => name).join(', ')

const readTimeoutMs = 10_000

export const readSchemaState = (sql: Statements): Promise<SchemaState> =>
  withDatabaseTimeout(readTimeoutMs, compareRecord(sql))

const compareRecord = async (sql: Statements): Promise<SchemaState> => {
  const [session] = await selectRows<Session>(sql, findSession)
  if (session === undefined) throw new Error('the statement returned no row')
  if (session.number < oldestVersion)
    throw new MigrationError(`PostgreSQL 15 or later is required, but this server is ${session.version}`)
  const migrations = readMigrations()
  const applied = await readRecord(sql, session.user, migrations)
  const pending = migrations.filter(({ createdAt }) => !applied.has(createdAt))
  const unknown = applied.size - (migrations.length - pending.length)
  if (pending.length > 0 && unknown > 0)
    throw new MigrationError(
      `the database lacks ${formatNames(pending)} but has ${unknown === 1 ? '1 migration' : `${unknown} migrations`} that this version does not know: start the version that migrated it, or restore a backup`,
    )
  return { identity: session, isRecorded: applied.size > 0, pending, unknown }
}
