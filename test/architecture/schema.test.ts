import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { describeSchemaDifference, importSchema, readJournal } from './schema-differences.ts'
import { root } from './source-files.ts'

describe('the schema in db/schema', async () => {
  const schema = await importSchema()

  it('matches the migrations', () => {
    expect(describeSchemaDifference(schema)).toBeNull()
  })

  it.each([
    [
      'a new table',
      { moods: pgTable('moods', { id: text().primaryKey() }) },
      'differs from db/migrations in tables.public.moods: run npx drizzle-kit generate',
    ],
    [
      'a column with a different type',
      { packLinkAdmissions: pgTable('pack_link_admissions', { key: integer().primaryKey() }) },
      'tables.public.pack_link_admissions.columns.key.type',
    ],
    ['a removed table', { packLinkAdmissions: undefined }, 'tables.public.pack_link_admissions: run'],
  ])('is reported as different from the migrations if it has %s', (_, change, difference) => {
    expect(describeSchemaDifference({ ...schema, ...change })).toContain(difference)
  })
})

describe('the migration journal', () => {
  const { entries } = readJournal()

  it('lists every migration', () => {
    const names = readdirSync(join(root, 'db/migrations')).filter((name) => name.endsWith('.sql'))
    expect(names.sort()).toEqual(entries.map(({ tag }) => `${tag}.sql`))
  })

  it('lists the migrations in the order they were generated', () => {
    expect(entries.map(({ when }) => when)).toEqual(
      [...new Set(entries.map(({ when }) => when))].sort((a, b) => a - b),
    )
  })
})
