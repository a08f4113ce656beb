import postgres from 'postgres'
import type { Statements } from '../client/driver-client.ts'
import { selectRows } from '../client/select-rows.ts'
import { type Identity, MigrationError, quoteName } from './migration-error.ts'
import { type Migration, readMigrations } from './migrations.ts'

/** The record of applied migrations, which drizzle defines. */
const recordTable = 'drizzle.__drizzle_migrations'

const oldestVersion = 150_000

export interface SchemaState {
  readonly identity: Identity
  /** Whether any migration is recorded as applied. */
  readonly isRecorded: boolean
  /** The migrations that the database lacks, oldest first. */
  readonly pending: readonly Migration[]
  /** How many applied migrations this version does not know, because a newer one applied them. */
  readonly unknown: number
}

const findSession = `select current_user as "user", current_database() as database,
  current_setting('server_version') as version, current_setting('server_version_num')::int as number,
  exists (
    select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = 'drizzle' and relname = '__drizzle_migrations'
  ) as "hasRecord"`

interface Session extends Identity {
  readonly version: string
  readonly number: number
  readonly hasRecord: boolean
}

const listApplied = async (sql: Statements, { user, hasRecord }: Session) => {
  if (!hasRecord) return []
  try {
    const rows = await selectRows<{ created_at: string }>(sql, `select created_at from ${recordTable}`)
    return rows.map(({ created_at }) => Number(created_at))
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== '42501') throw error
    const role = quoteName(user)
    throw new MigrationError(
      `the role ${role} must not read ${recordTable}: GRANT USAGE ON SCHEMA drizzle TO ${role}; GRANT SELECT ON ${recordTable} TO ${role}`,
    )
  }
}

export const formatNames = (migrations: readonly Migration[]) => migrations.map(({ name }) => name).join(', ')

/** Compares the record of the database with the migrations of this version. It changes and locks nothing. */
export const readSchemaState = async (sql: Statements): Promise<SchemaState> => {
  const [session] = await selectRows<Session>(sql, findSession)
  if (session === undefined) throw new Error('the statement returned no row')
  if (session.number < oldestVersion)
    throw new MigrationError(`PostgreSQL 15 or later is required, and this server is ${session.version}`)
  const applied = new Set(await listApplied(sql, session))
  const migrations = readMigrations()
  const pending = migrations.filter(({ createdAt }) => !applied.has(createdAt))
  const unknown = applied.size - (migrations.length - pending.length)
  if (pending.length > 0 && unknown > 0)
    throw new MigrationError(
      `the database lacks ${formatNames(pending)} but has ${unknown} migrations that this version does not know: start the version that migrated it, or restore a backup`,
    )
  return { identity: session, isRecorded: applied.size > 0, pending, unknown }
}

const quoteText = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Creates the record, unless it exists: that would require rights even to leave it as it is. */
export const createRecord = async (sql: Statements): Promise<void> => {
  const [found] = await selectRows<{ schema: boolean; table: boolean }>(
    sql,
    `select to_regnamespace('drizzle') is not null as schema, to_regclass('${recordTable}') is not null as table`,
  )
  if (!found?.schema) await sql.unsafe('create schema drizzle')
  if (!found?.table)
    await sql.unsafe(
      `create table ${recordTable} (id serial primary key, hash text not null, created_at bigint)`,
    )
}

/** Records a migration as applied. */
export const recordMigration = async (sql: Statements, { hash, createdAt }: Migration): Promise<void> => {
  await sql.unsafe(`insert into ${recordTable} (hash, created_at) values (${quoteText(hash)}, ${createdAt})`)
}
