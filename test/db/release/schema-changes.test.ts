import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import previous from './previous-release.json' with { type: 'json' }
import { listBreakingChanges, Snapshot } from './schema-changes.ts'

const folder = join(import.meta.dirname, '../../../db/migrations/meta')
const readSnapshot = (migration: string) =>
  Snapshot.parse(JSON.parse(readFileSync(join(folder, `${migration}_snapshot.json`), 'utf8')))
const migrations = readdirSync(folder)
  .flatMap((name) => /^(\d{4})_snapshot\.json$/.exec(name)?.slice(1) ?? [])
  .toSorted()

describe('the migrations since the previous release', () => {
  it('leave what that release reads and writes as it is', () => {
    expect(migrations).toContain(previous.lastMigration)
    const [before, after] = [previous.lastMigration, migrations.at(-1) ?? ''].map(readSnapshot)
    expect(before && after && listBreakingChanges(before, after)).toEqual([])
  })
})

describe('a change of the schema', () => {
  const column = { type: 'text', notNull: false }
  const other = {
    indexes: {},
    foreignKeys: {},
    compositePrimaryKeys: {},
    uniqueConstraints: {},
    checkConstraints: {},
  }
  const tableOf = (columns: object, changes: object = {}) =>
    Snapshot.parse({ tables: { notes: { ...other, columns, ...changes } } })
  const before = tableOf({ id: column, text: column })

  it.each([
    ['a removed table', Snapshot.parse({ tables: {} }), 'notes is removed'],
    ['a removed column', tableOf({ id: column }), 'notes.text is removed'],
    ['another type', tableOf({ id: column, text: { ...column, type: 'jsonb' } }), 'notes.text becomes jsonb'],
    [
      'a column that must not be null any more',
      tableOf({ id: column, text: { ...column, notNull: true } }),
      'notes.text must not be null any more',
    ],
    [
      'a new column without a default',
      tableOf({ id: column, text: column, author: { ...column, notNull: true } }),
      'notes.author is added without a default',
    ],
    [
      'a new constraint',
      tableOf({ id: column, text: column }, { checkConstraints: { short: { value: 'length(text) < 9' } } }),
      'notes gets the constraint short',
    ],
    [
      'a new unique index',
      tableOf({ id: column, text: column }, { indexes: { once: { isUnique: true } } }),
      'notes gets the unique index once',
    ],
  ])('breaks the previous release: %s', (_, after, problem) => {
    expect(listBreakingChanges(before, after)).toEqual([problem])
  })

  it.each([
    ['a new table', Snapshot.parse({ tables: { ...before.tables, others: before.tables.notes } })],
    ['a new column that may be null', tableOf({ id: column, text: column, author: column })],
    [
      'a new column with a default',
      tableOf({ id: column, text: column, isOpen: { type: 'boolean', notNull: true, default: false } }),
    ],
    ['a new index', tableOf({ id: column, text: column }, { indexes: { by_text: { isUnique: false } } })],
  ])('does not break it: %s', (_, after) => {
    expect(listBreakingChanges(before, after)).toEqual([])
  })
})
