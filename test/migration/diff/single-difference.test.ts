import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compareValues } from '#migration/diff/compare-values.ts'
import { toDiffSchema } from '#migration/diff/diff-schema.ts'
import { body, createCollector } from '#migration/diff/difference-collector.ts'

const Grade = z.enum(['viewer', 'editor'])
const Schema = z.object({
  title: z.string(),
  artist: z.string(),
  grade: Grade,
  wanted: Grade,
  made: z.enum(['today', 'never']),
  tracks: z.int(),
  shares: z.int(),
})

const core = {
  title: 'Night Drive',
  artist: 'Alice',
  grade: 'viewer',
  wanted: 'editor',
  made: 'today',
  tracks: 2,
  shares: 5,
}

const listDifferences = (native: Partial<typeof core>) => {
  const found = createCollector()
  compareValues(found, toDiffSchema(Schema), { ...core, ...native }, core, body)
  return found.list().map(({ kind, location, pairs }) => `${kind} ${location.indexedPath} ${pairs.length}`)
}

describe('compareValues', () => {
  it.each([
    ['two texts', { title: 'Alice', artist: 'Night Drive' }, ['order body.title and artist 2']],
    ['two enum values', { grade: 'editor', wanted: 'viewer' }, ['order body.grade and wanted 2']],
    ['two counts', { tracks: 5, shares: 2 }, ['order body.tracks and shares 2']],
  ])('reports one order difference if %s are swapped', (_, native, expected) => {
    expect(listDifferences(native)).toEqual(expected)
  })

  it.each([
    ['only one field has the value of the other', { title: 'Alice', artist: 'Bob' }],
    ['both fields have the same value', { title: 'Alice' }],
  ])('reports different values instead of a swap if %s', (_, native) => {
    expect(listDifferences(native).every((line) => line.startsWith('value '))).toBe(true)
  })

  it('reports two different values instead of a swap if one would be invalid in the other field', () => {
    expect(listDifferences({ title: 'today', made: 'Night Drive' })).toEqual([
      'value body.title 1',
      'value body.made 1',
    ])
  })
})
