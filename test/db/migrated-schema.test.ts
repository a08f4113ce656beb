import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import type postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { type CatalogEntry, readCatalog } from '#db/migrate/catalog.ts'
import { compareCatalogs } from '#db/migrate/compare-catalogs.ts'
import { createPlainDatabase } from '#test/support/plain-database.ts'
import { importSchema } from '../architecture/schema-differences.ts'

const createDeclared = async (sql: postgres.Sql) => {
  const toSnapshot = (schema: Record<string, unknown>) =>
    generateDrizzleJson(schema, undefined, undefined, 'snake_case')
  const statements = await generateMigration(toSnapshot({}), toSnapshot(await importSchema()))
  for (const statement of statements) await sql.unsafe(statement)
}

// `db/schema` does not declare these tables, because only SQL uses them.
const undeclaredTables = ['table public.job_queue_accounts', 'table public.job_queue_rounds']

// A drizzle schema cannot declare triggers or unlogged tables.
const isDeclarable = ({ object, part }: CatalogEntry) =>
  object.startsWith('table public.') &&
  !undeclaredTables.includes(object) &&
  /^(?:column|constraint|index) /.test(part)

const readTables = async (sql: postgres.Sql) => (await readCatalog(sql)).filter(isDeclarable)

const readDeclared = async () => {
  const { sql } = await createPlainDatabase()
  await createDeclared(sql)
  return readTables(sql)
}

let declared: ReturnType<typeof readDeclared> | undefined

const findDifferences = async (migrated: postgres.Sql) => {
  declared ??= readDeclared()
  const [expected, actual] = [await declared, await readTables(migrated)]
  return compareCatalogs(expected, actual, new Set([...expected, ...actual].map(({ object }) => object)))
}

describe('a database after all migrations', () => {
  it('has the tables, columns, constraints and indexes of db/schema', async () => {
    const { sql } = await createPlainDatabase({ migrated: true })
    expect(await findDifferences(sql)).toEqual([])
  })

  it.each([
    ['alter table libraries add mood text', 'column mood is not created'],
    ['alter table libraries drop description', 'column description is missing'],
    ['alter table libraries alter name type varchar(9)', 'column name is "character varying(9) not null"'],
    ['alter table libraries alter name drop not null', 'column name is "text" instead of "text not null"'],
    ['alter table libraries alter created_at drop default', 'column created_at is "timestamp'],
    ['create table moods (id text)', 'table public.moods'],
  ])('differs from db/schema after a further statement: %s', async (statement, difference) => {
    const { sql } = await createPlainDatabase({ migrated: true })
    await sql.unsafe(statement)
    expect(await findDifferences(sql)).toEqual([expect.stringContaining(difference)])
  })
})
