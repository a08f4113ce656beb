import { describe, expect, it } from 'vitest'
import { attribute, type Coverage } from '#dev/contract/mutants/coverage.ts'
import type { Declaration, Mutant } from '#dev/contract/mutants/mutate.ts'

const createMutant = (id: string, declaration: string): Mutant => ({
  id,
  path: 'queries.ts',
  operator: 'number',
  declaration,
  start: 0,
  end: 1,
  text: '2',
})

const declarations: readonly Declaration[] = [
  { name: 'list.ts#list', uses: ['queries.ts#find'] },
  { name: 'show.ts#show', uses: ['queries.ts#findOne'] },
  { name: 'queries.ts#find', uses: ['queries.ts#columns'] },
  { name: 'queries.ts#findOne', uses: [] },
  { name: 'queries.ts#columns', uses: [] },
  { name: 'queries.ts#unused', uses: [] },
]
const handlers = new Map([
  ['a.list', 'list.ts#list'],
  ['a.detail', 'show.ts#show'],
])

const attributeTo = (mutant: Mutant, coverage: Coverage) =>
  attribute({ mutants: [mutant], declarations, coverage, handlers }).map(
    ({ labels, scenarios, isStatic }) => ({
      labels,
      scenarios,
      isStatic,
    }),
  )

describe('the routes of a mutant', () => {
  it('are those whose requests run it', () => {
    const scenarios = { 1: { 'a.list': ['m'], 'a.detail': ['m'] }, 2: { 'a.list': ['m'], 'a.create': [] } }
    expect(attributeTo(createMutant('m', 'find'), { loaded: [], scenarios })).toEqual([
      { labels: ['a.list', 'a.detail'], scenarios: ['1', '2'], isStatic: false },
    ])
  })

  it('are not those that are not compared', () => {
    const scenarios = { 1: { 'a.list': ['m'], 'webhooks.billing': ['m'] } }
    expect(attributeTo(createMutant('m', 'find'), { loaded: [], scenarios })[0]?.labels).toEqual(['a.list'])
  })

  it('are those that run what refers to it, if it is evaluated when its module loads', () => {
    const scenarios = { 1: { 'a.list': ['queries.ts#find'] }, 2: { 'a.detail': ['queries.ts#findOne'] } }
    expect(attributeTo(createMutant('m', 'columns'), { loaded: ['m'], scenarios })).toEqual([
      { labels: ['a.list'], scenarios: ['1'], isStatic: true },
    ])
  })

  it('are those that run its function, if no request reaches it there', () => {
    const scenarios = { 1: { 'a.detail': ['queries.ts#findOne'] } }
    expect(attributeTo(createMutant('m', 'findOne'), { loaded: [], scenarios })).toEqual([
      { labels: ['a.detail'], scenarios: [], isStatic: false },
    ])
  })

  it('are those whose handlers need it, if no request runs any of it', () => {
    expect(attributeTo(createMutant('m', 'findOne'), { loaded: [], scenarios: {} })).toEqual([
      { labels: ['a.detail'], scenarios: [], isStatic: false },
    ])
  })

  it('are none for what no compared route needs', () => {
    expect(attributeTo(createMutant('m', 'unused'), { loaded: [], scenarios: {} })).toEqual([])
  })
})
