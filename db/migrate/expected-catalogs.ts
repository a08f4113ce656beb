import { selectRows } from '../client/statements.ts'
import type { Transaction } from '../client/transaction.ts'
import { runMigration } from './apply-migrations.ts'
import { type CatalogEntry, readCatalog } from './catalog.ts'
import type { Identity } from './migration-error.ts'
import type { Migration } from './migrations.ts'

/** Thrown to roll back to the savepoint, which undoes the migrations. */
class Undo extends Error {
  override name = 'Undo'
}

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
export const readExpectedCatalogs = async (
  tx: Transaction,
  migrations: readonly Migration[],
  identity: Identity,
): Promise<readonly (readonly CatalogEntry[])[]> => {
  const catalogs: (readonly CatalogEntry[])[] = []
  const undo = new Undo()
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
