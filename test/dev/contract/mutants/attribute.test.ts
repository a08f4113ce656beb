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
  { name: 'list.ts#list', uses: ['queries.ts#find'], hasFunctions: true },
  { name: 'show.ts#show', uses: ['queries.ts#findOne'], hasFunctions: true },
  { name: 'queries.ts#find', uses: ['queries.ts#columns'], hasFunctions: true },
  { name: 'queries.ts#findOne', uses: [], hasFunctions: true },
  { name: 'queries.ts#columns', uses: [], hasFunctions: false },
  { name: 'queries.ts#unused', uses: [], hasFunctions: true },
]
const handlers = new Map([
  ['a.list', 'list.ts#list'],
  ['a.detail', 'show.ts#show'],
])

const isHandled = (label: string) => handlers.has(label)
const isList = (label: string) => label === 'a.list'

const attributeTo = (
  mutant: Mutant,
  coverage: Coverage,
  isCompared: (label: string) => boolean = isHandled,
) =>
  attribute({ mutants: [mutant], declarations, coverage, handlers, isCompared }).map(
    ({ labels, scenarios, isStatic }) => ({
      labels,
      scenarios,
      isStatic,
    }),
  )

describe('a mutant', () => {
  it('belongs to the routes whose requests run it', () => {
    const scenarios = { 1: { 'a.list': ['m'], 'a.detail': ['m'] }, 2: { 'a.list': ['m'], 'a.create': [] } }
    expect(attributeTo(createMutant('m', 'find'), { loaded: [], scenarios })).toEqual([
      { labels: ['a.list', 'a.detail'], scenarios: ['1', '2'], isStatic: false },
    ])
  })

  it('belongs to no route that is not compared', () => {
    const scenarios = { 1: { 'a.list': ['m'], 'webhooks.billing': ['m'] } }
    expect(attributeTo(createMutant('m', 'find'), { loaded: [], scenarios })[0]?.labels).toEqual(['a.list'])
  })

  it('belongs to the routes that run code referring to it, if it runs while its module loads', () => {
    const scenarios = { 1: { 'a.list': ['queries.ts#find'] }, 2: { 'a.detail': ['queries.ts#findOne'] } }
    expect(attributeTo(createMutant('m', 'columns'), { loaded: ['m'], scenarios })).toEqual([
      { labels: ['a.list'], scenarios: ['1'], isStatic: true },
    ])
  })

  it('belongs to the routes that run its enclosing function, if no request reaches the mutant itself', () => {
    const scenarios = { 1: { 'a.detail': ['queries.ts#findOne'] } }
    expect(attributeTo(createMutant('m', 'findOne'), { loaded: [], scenarios })).toEqual([
      { labels: ['a.detail'], scenarios: [], isStatic: false },
    ])
  })

  it('belongs to the routes whose handlers need its enclosing function, if no request runs that function', () => {
    expect(attributeTo(createMutant('m', 'findOne'), { loaded: [], scenarios: {} })).toEqual([
      { labels: ['a.detail'], scenarios: [], isStatic: false },
    ])
  })

  it('belongs to no route if only a route outside the run uses code that refers to it', () => {
    const scenarios = { 1: { 'a.list': ['list.ts#list'] } }
    expect(attributeTo(createMutant('m', 'columns'), { loaded: ['m'], scenarios })).toEqual([
      { labels: ['a.list'], scenarios: [], isStatic: true },
    ])
    const shown = { 1: { 'a.detail': ['show.ts#show'] } }
    const isDetail = (label: string) => label === 'a.detail'
    expect(attributeTo(createMutant('m', 'columns'), { loaded: ['m'], scenarios: shown }, isDetail)).toEqual(
      [],
    )
  })

  it('belongs to no route in a run of other routes, unless their requests run its enclosing function', () => {
    const coverage = { loaded: [], scenarios: { 1: { 'a.list': ['queries.ts#find'] } } }
    expect(attributeTo(createMutant('m', 'findOne'), coverage, isList)).toEqual([])
    expect(attributeTo(createMutant('m', 'find'), coverage, isList)).toEqual([
      { labels: ['a.list'], scenarios: [], isStatic: false },
    ])
  })

  it('belongs to no route if no compared route needs its code', () => {
    expect(attributeTo(createMutant('m', 'unused'), { loaded: [], scenarios: {} })).toEqual([])
  })
})
