import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compareValues } from '#migration/diff/compare-values.ts'
import { body, createFindings } from '#migration/diff/findings.ts'
import { toShape } from '#migration/diff/shape.ts'

const Grade = z.enum(['viewer', 'editor'])
const Schema = z.object({
  title: z.string(),
  artist: z.string(),
  grade: Grade,
  wanted: Grade,
  made: z.enum(['today', 'never']),
  tracks: z.int(),
  shares: z.int(),
  slots: z.array(z.object({ name: z.string(), size: z.int() })).meta({ keyedBy: 'name' }),
})

const core = {
  title: 'Night Drive',
  artist: 'Alice',
  grade: 'viewer',
  wanted: 'editor',
  made: 'today',
  tracks: 2,
  shares: 5,
  slots: [
    { name: 'a', size: 1 },
    { name: 'b', size: 2 },
  ],
}

const found = (native: Partial<typeof core>) => {
  const findings = createFindings()
  compareValues(findings, toShape(Schema), { ...core, ...native }, core, body)
  return findings.list().map(({ kind, place, pairs }) => `${kind} ${place.concrete} ${pairs.length}`)
}

describe('one fault is one difference', () => {
  it.each([
    ['two texts', { title: 'Alice', artist: 'Night Drive' }, ['order body.title and artist 2']],
    ['two words', { grade: 'editor', wanted: 'viewer' }, ['order body.grade and wanted 2']],
    ['two counts', { tracks: 5, shares: 2 }, ['order body.tracks and shares 2']],
  ])('where %s are exchanged', (_, native, expected) => {
    expect(found(native)).toEqual(expected)
  })

  it.each([
    ['only one has the value of the other', { title: 'Alice', artist: 'Bob' }],
    ['both have that of one', { title: 'Alice' }],
  ])('but no exchange where %s', (_, native) => {
    expect(found(native).every((words) => words.startsWith('value '))).toBe(true)
  })

  it('nor where a value is none that the other field may have', () => {
    expect(found({ title: 'today', made: 'Night Drive' })).toEqual([
      'value body.title 1',
      'value body.made 1',
    ])
  })

  it('where an element is called by another name', () => {
    const slots = [
      { name: 'a', size: 1 },
      { name: 'c', size: 2 },
    ]
    expect(found({ slots })).toEqual(['value body.slots.1.name 1'])
  })

  it('but tells one that is missing from one that is new', () => {
    const slots = [
      { name: 'a', size: 1 },
      { name: 'c', size: 3 },
    ]
    expect(found({ slots })).toEqual(['extra body.slots.1 1', 'missing body.slots.1 1'])
  })
})
