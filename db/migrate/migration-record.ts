import postgres from 'postgres'
import { type Statements, selectRows } from '../client/statements.ts'
import { describeStatementError, type Identity, MigrationError, quoteName } from './migration-error.ts'
import { type Migration, readMigrations } from './migrations.ts'

/** Drizzle's own table is not used, because the core may use drizzle in the same database. */
const recordTable = 'crossfade.migrations'

// The table that earlier versions used. It may also record the core's migrations.
const earlierTable = 'drizzle.__drizzle_migrations'

// Does not use `to_regclass`, which needs rights on the schema.
const exists = (table: string) => {
  const [schema, name] = table.split('.')
  return `exists (select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = '${schema}' and relname = '${name}')`
}

const listRecorded = async (sql: Statements, user: string, table: string) => {
  try {
    const rows = await selectRows<{ created_at: string }>(sql, `select created_at from ${table}`)
    return rows.map(({ created_at }) => Number(created_at))
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== '42501') throw error
    const role = quoteName(user)
    const [schema] = table.split('.')
    throw new MigrationError(
      `the role ${role} is not allowed to read ${table}: GRANT USAGE ON SCHEMA ${schema} TO ${role}; GRANT SELECT ON ${table} TO ${role}`,
    )
  }
}

const findTables = async (sql: Statements) => {
  const [tables] = await selectRows<{ record: boolean; earlier: boolean; schema: boolean }>(
    sql,
    `select ${exists(recordTable)} as record, ${exists(earlierTable)} as earlier,
      exists (select from pg_namespace where nspname = 'crossfade') as schema`,
  )
  if (tables === undefined) throw new Error('the statement returned no row')
  return tables
}

export const readRecord = async (
  sql: Statements,
  user: string,
  migrations: readonly Migration[],
): Promise<ReadonlySet<number>> => {
  const { record, earlier } = await findTables(sql)
  if (record) return new Set(await listRecorded(sql, user, recordTable))
  if (!earlier) return new Set()
  const times = new Set(migrations.map(({ createdAt }) => createdAt))
  return new Set((await listRecorded(sql, user, earlierTable)).filter((time) => times.has(time)))
}

/** Checks first, because even `create … if not exists` would need the right to create. */
export const createRecord = async (sql: Statements): Promise<void> => {
  const { record, earlier, schema } = await findTables(sql)
  if (record) return
  if (!schema) await sql.unsafe('create schema crossfade')
  await sql.unsafe(`create table ${recordTable} (created_at bigint primary key, hash text not null)`)
  if (!earlier) return
  const times = readMigrations().map(({ createdAt }) => createdAt)
  await sql.unsafe(`insert into ${recordTable} (created_at, hash)
    select created_at, min(hash) from ${earlierTable} where created_at in (${times.join(', ')}) group by created_at`)
}

const quoteText = (text: string) => `'${text.replaceAll("'", "''")}'`

export const recordMigration = async (sql: Statements, { hash, createdAt }: Migration): Promise<void> => {
  await sql.unsafe(`insert into ${recordTable} (hash, created_at) values (${quoteText(hash)}, ${createdAt})`)
}

export const runMigration = async (
  tx: Statements,
  { name, statements }: Migration,
  identity: Identity,
): Promise<void> => {
  for (const statement of statements)
    try {
      await tx.unsafe(statement)
    } catch (error) {
      throw describeStatementError(error, name, statement, identity)
    }
}

export const applyMigrations = async (
  tx: Statements,
  migrations: readonly Migration[],
  identity: Identity,
): Promise<void> => {
  const [first] = migrations
  if (first === undefined) return
  try {
    await createRecord(tx)
  } catch (error) {
    throw describeStatementError(error, first.name, `create table ${recordTable} ()`, identity)
  }
  for (const migration of migrations) {
    await runMigration(tx, migration, identity)
    await recordMigration(tx, migration)
  }
}
