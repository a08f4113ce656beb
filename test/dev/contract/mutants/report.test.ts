import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AttributedMutant } from '#dev/contract/mutants/coverage.ts'
import { formatReport, formatScores, type MeasuredMutant, score } from '#dev/contract/mutants/report.ts'
import { type MutantResult, openResults } from '#dev/contract/mutants/results.ts'

const source = 'const limit = 50\nconst find = () => limit\n'

const measured = (
  id: string,
  outcome: MutantResult['outcome'],
  labels: readonly string[] = ['libraries.list'],
  equivalence?: string,
): MeasuredMutant => {
  const mutant: AttributedMutant = {
    id,
    path: 'queries.ts',
    operator: 'number',
    declaration: 'limit',
    start: 14,
    end: 16,
    text: '51',
    labels,
    scenarios: [],
    isStatic: true,
  }
  return { mutant, result: { id, outcome, tried: '' }, equivalence }
}

const all = [
  measured('a', 'killed'),
  measured('b', 'killed'),
  measured('c', 'survived'),
  measured('d', 'unreached', ['packs.list']),
  measured('e', 'crashed'),
  measured('f', 'survived', ['libraries.list'], 'the limit of the database is lower'),
  measured('g', 'killed', ['libraries.list', 'packs.list']),
]

describe('the score', () => {
  it('leaves out crashed and equivalent mutants, but counts unreached ones', () => {
    expect(score(all)).toMatchObject({
      killed: 3,
      survived: 1,
      unreached: 1,
      crashed: 1,
      equivalent: 1,
      percent: 60,
    })
  })

  it('is listed for each area and for all areas', () => {
    const lines = formatScores(all).split('\n').slice(2)
    expect(lines).toEqual([
      '| libraries | 66.7 % | 2 | 1 | 0 | 1 | 1 |',
      '| packs | 0.0 % | 0 | 0 | 1 | 0 | 0 |',
      '| shared | 100.0 % | 1 | 0 | 0 | 0 | 0 |',
      '| all | 60.0 % | 3 | 1 | 1 | 1 | 1 |',
    ])
  })

  it('is null if every mutant is left out', () => {
    expect(score([measured('e', 'crashed')]).percent).toBeNull()
  })
})

it('the report shows surviving mutants as diffs, and also lists unreached ones', () => {
  const report = formatReport(all, new Map([['queries.ts', source]]), '7 mutants')
  expect(report).toContain('queries.ts:1\n-const limit = 50\n+const limit = 51\n```')
  expect(report.match(/^### .*/gm)).toEqual(['### c number: survived', '### d number: unreached'])
})

describe('stored results', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossfade-mutants-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('let an interrupted run continue, even if it left an incomplete last line', async () => {
    const path = join(folder, 'interrupted', 'results.jsonl')
    await (await openResults(path)).add({ id: 'a', outcome: 'killed', tried: 'x' })
    await writeFile(path, `${await readFile(path, 'utf8')}{"id":"b","outc`)
    const results = await openResults(path)
    expect(results.find('a', 'x')?.outcome).toBe('killed')
    expect(results.find('b', 'x')).toBeUndefined()
    await results.add({ id: 'c', outcome: 'killed', tried: 'x' })
    expect((await openResults(path)).find('c', 'x')?.outcome).toBe('killed')
  })

  it('are not reused if different scenarios would be tried', async () => {
    const results = await openResults(join(folder, 'results.jsonl'))
    await results.add({ id: 'a', outcome: 'survived', tried: 'x' })
    expect(results.find('a', 'y')).toBeUndefined()
    await results.add({ id: 'a', outcome: 'killed', tried: 'y' })
    expect(results.find('a', 'y')?.outcome).toBe('killed')
  })
})
