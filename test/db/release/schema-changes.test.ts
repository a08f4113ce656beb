import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readReleasedJson } from './check-out-release.ts'
import { listBreakingChanges, Snapshot } from './schema-changes.ts'

const folder = 'db/migrations/meta'
const readJson = (path: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../..', path), 'utf8'))
const readLastSnapshot = (read: typeof readReleasedJson) => {
  const { tag } = read(`${folder}/_journal.json`).entries.at(-1)
  return Snapshot.parse(read(`${folder}/${tag.slice(0, 4)}_snapshot.json`))
}

describe('the migrations since the previous release', () => {
  it('change nothing that the previous release reads or writes', () => {
    expect(listBreakingChanges(readLastSnapshot(readReleasedJson), readLastSnapshot(readJson))).toEqual([])
  })
})

describe('a schema change', () => {
  const column = { type: 'text', notNull: false }
  const required = { type: 'text', notNull: true }
  const columns = { id: column, text: column, title: required, isOpen: { ...column, default: 'no' } }
  const released = {
    indexes: { once: { isUnique: true, columns: ['title'] } },
    foreignKeys: {},
    compositePrimaryKeys: {},
    uniqueConstraints: { notes_text: { columns: ['text'] } },
    checkConstraints: {},
  }
  const tableOf = (changedColumns: object, changes: object = {}) =>
    Snapshot.parse({
      tables: { notes: { ...released, columns: { ...columns, ...changedColumns }, ...changes } },
    })
  const before = tableOf({})
  const { text: _, ...withoutText } = columns

  it.each([
    ['a removed table', Snapshot.parse({ tables: {} }), 'notes is removed'],
    ['a removed column', tableOf({}, { columns: withoutText }), 'notes.text is removed'],
    ['a different type', tableOf({ text: { ...column, type: 'jsonb' } }), 'notes.text becomes jsonb'],
    ['a column that can no longer be null', tableOf({ text: required }), 'notes.text can no longer be null'],
    ['a column that may be null', tableOf({ title: column }), 'notes.title may be null'],
    ['a removed default', tableOf({ isOpen: column }), 'notes.isOpen loses its default'],
    [
      'a new column without a default',
      tableOf({ author: required }),
      'notes.author is added without a default',
    ],
    [
      'a new constraint',
      tableOf({}, { checkConstraints: { short: { value: 'length(text) < 9' } } }),
      'notes gets the constraint short',
    ],
    ['a removed unique constraint', tableOf({}, { uniqueConstraints: {} }), 'notes loses notes_text'],
    [
      'a new unique index',
      tableOf({}, { indexes: { ...released.indexes, twice: { isUnique: true } } }),
      'notes gets the unique index twice',
    ],
    [
      'a unique index on different columns',
      tableOf({}, { indexes: { once: { isUnique: true, columns: ['id'] } } }),
      'notes gets the unique index once',
    ],
    ['a removed unique index', tableOf({}, { indexes: {} }), 'notes loses once'],
  ])('breaks the previous release: %s', (_, after, problem) => {
    expect(listBreakingChanges(before, after)).toEqual([problem])
  })

  it.each([
    ['a new table', Snapshot.parse({ tables: { ...before.tables, others: before.tables.notes } })],
    ['a new column that may be null', tableOf({ author: column })],
    [
      'a new column with a default',
      tableOf({ isShared: { type: 'boolean', notNull: true, default: false } }),
    ],
    ['a new index', tableOf({}, { indexes: { ...released.indexes, by_text: { isUnique: false } } })],
  ])('does not break the previous release: %s', (_, after) => {
    expect(listBreakingChanges(before, after)).toEqual([])
  })
})
