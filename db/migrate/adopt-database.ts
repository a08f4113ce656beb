import postgres from 'postgres'
import { formatCommand } from '#shared/format-command.ts'
import { selectRows } from '../client/statements.ts'
import type { Transaction } from '../client/transaction.ts'
import { type CatalogEntry, readCatalog } from './catalog.ts'
import { compareCatalogs } from './compare-catalogs.ts'
import { type Identity, MigrationError, quoteName } from './migration-error.ts'
import { applyMigrations, createRecord, recordMigration, runMigration } from './migration-record.ts'
import type { Migration } from './migrations.ts'
import { readSchemaState } from './schema-state.ts'

const setAside = (schema: string) => `${schema}_set_aside_by_baseline`

const replaceSchemas = async (tx: Transaction) => {
  const schemas = await selectRows<{ name: string }>(
    tx,
    `select nspname as name from pg_namespace where nspname in ('public', 'pgboss')`,
  )
  for (const { name } of schemas) await tx.unsafe(`alter schema ${name} rename to ${setAside(name)}`)
  await tx.unsafe('create schema public')
}

/**
 * Returns the schema after each migration, as this server describes it. Renames the existing schemas, applies the
 * migrations to an empty one, and rolls everything back. Other sessions notice nothing, because renaming a schema locks
 * no table.
 */
const readExpectedCatalogs = async (
  tx: Transaction,
  migrations: readonly Migration[],
  identity: Identity,
): Promise<readonly (readonly CatalogEntry[])[]> => {
  const catalogs: (readonly CatalogEntry[])[] = []
  // Thrown to roll back to the savepoint, which undoes the migrations.
  const undo = new Error('undo')
  try {
    await tx.savepoint(async (nested) => {
      await replaceSchemas(nested)
      for (const migration of migrations) {
        await runMigration(nested, migration, identity)
        catalogs.push(await readCatalog(nested))
      }
      throw undo
    })
  } catch (error) {
    if (error !== undo) throw error
  }
  return catalogs
}

export interface Adopted {
  /** The last migration that the schema already contained. */
  readonly upTo: string
  readonly applied: readonly string[]
}

interface Match {
  readonly count: number
  readonly differences: readonly string[]
}

/** In a tie, prefers the latest. */
const findMatch = (
  catalogs: readonly (readonly CatalogEntry[])[],
  actual: readonly CatalogEntry[],
  known: ReadonlySet<string>,
): Match =>
  catalogs
    .map((expected, index) => ({ count: index + 1, differences: compareCatalogs(expected, actual, known) }))
    .reduce((best, match) => (match.differences.length <= best.differences.length ? match : best))

const requireRights = async <T>({ user }: Identity, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== '42501') throw error
    throw new MigrationError(
      `to compare schemas, the role ${quoteName(user)} must own the schemas public and pgboss and be allowed to create schemas: ${error.message} (42501); run ${formatCommand('migrate', '--baseline')} as the owner of the database`,
    )
  }
}

const requireMatch = ({ count, differences }: Match, migrations: readonly Migration[]) => {
  const upTo = migrations[count - 1]
  if (upTo === undefined) throw new Error('there are no migrations')
  if (differences.length === 0) return upTo
  const isLast = count === migrations.length
  throw new MigrationError(
    [
      `the schema differs from ${isLast ? 'the migrations' : `the one after ${upTo.name}, the closest match`}:`,
      ...differences.map((difference) => `  ${difference}`),
      `nothing was changed: correct these differences and run ${formatCommand('migrate', '--baseline')} again`,
    ].join('\n'),
  )
}

/**
 * In the caller's transaction, records the migrations whose schema the database already has, and applies the later
 * ones. If no migration matches, throws a `MigrationError` that lists every difference from the closest one.
 */
export const adoptDatabase = async (tx: Transaction): Promise<Adopted> => {
  const { identity, isRecorded, pending: migrations } = await readSchemaState(tx)
  if (isRecorded)
    throw new MigrationError(
      `this database has a record of its migrations and needs no baseline: run ${formatCommand('migrate')}`,
    )
  return requireRights(identity, async () => {
    const actual = await readCatalog(tx)
    const catalogs = await readExpectedCatalogs(tx, migrations, identity)
    const known = new Set(catalogs.flat().map(({ object }) => object))
    if (!actual.some(({ object }) => known.has(object)))
      throw new MigrationError(
        `this database has none of the gateway's tables: run ${formatCommand('migrate')}`,
      )
    const match = findMatch(catalogs, actual, known)
    const upTo = requireMatch(match, migrations)
    await createRecord(tx)
    for (const migration of migrations.slice(0, match.count)) await recordMigration(tx, migration)
    const later = migrations.slice(match.count)
    await applyMigrations(tx, later, identity)
    return { upTo: upTo.name, applied: later.map(({ name }) => name) }
  })
}
