import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AttributedMutant } from '#dev/contract/mutants/coverage.ts'
import { measureMutant } from '#dev/contract/mutants/measure-mutant.ts'
import type { Comparison } from '#migration/parity/report/parity-run.ts'
import { defineScenario } from '#migration/parity/run/scenario.ts'

const mutant: AttributedMutant = {
  id: 'm',
  path: 'queries.ts',
  operator: 'number',
  declaration: 'find',
  start: 0,
  end: 1,
  text: '2',
  labels: ['libraries.list'],
  scenarios: ['0'],
  isStatic: false,
}

type Found = Partial<Pick<Comparison, 'label' | 'native' | 'core' | 'class'>> & { readonly path?: string }

const compared = ({
  label = 'libraries.list',
  native = 200,
  core = 200,
  class: name = 'equal',
  path = 'body',
}: Found) => ({
  label,
  scenario: 'returns a list',
  native,
  core,
  class: name,
  differences:
    name === 'equal'
      ? []
      : [
          {
            kind: 'value' as const,
            path,
            class: name,
            blame: 'native' as const,
            signature: '',
            count: 1,
            example: { path, native: null, core: null },
          },
        ],
})

/** Each item of `found` is what one run of the scenarios finds. */
const measure = async (found: readonly (readonly Found[])[], sparesSuccesses = false) => {
  const scenarios = found
    .flatMap(() => [1, 2, 3])
    .map((title) => defineScenario('libraries.list', 200, String(title), () => ({})))
  const runs = found.values()
  let count = 0
  const result = await measureMutant({
    mutant,
    scenarios,
    sparesSuccesses,
    run: async () => {
      count += 1
      return (runs.next().value ?? []).map(compared)
    },
  })
  return { outcome: result === 'no response' ? result : result.outcome, runs: count }
}

describe('a mutant', () => {
  it('is killed by the first regression of its route', async () => {
    expect(await measure([[{}], [{ class: 'regression' }], [{}]])).toEqual({ outcome: 'killed', runs: 2 })
  })

  it('is tried for no longer than a minute if it fails', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValueOnce(0)
    onTestFinished(() => now.mockRestore())
    now.mockReturnValue(60_001)
    const failed = { class: 'regression', native: 504 } as const
    expect(await measure([[failed], [{}], [{}]])).toEqual({ outcome: 'crashed', runs: 1 })
  })

  it("survives another route's regression", async () => {
    const other = { label: 'libraries.detail', class: 'regression' } as const
    expect(await measure([[other], [{}]])).toEqual({ outcome: 'survived', runs: 2 })
  })

  it('survives differences that are not comparable', async () => {
    expect(await measure([[{ class: 'not_comparable' }]])).toEqual({ outcome: 'survived', runs: 1 })
  })

  it('has the outcome "no response" if a response is missing', async () => {
    expect(await measure([[{}], [{ class: 'failed' }], [{}]])).toEqual({ outcome: 'no response', runs: 2 })
  })

  const failed = { native: 500, class: 'regression', path: 'status' } as const
  const fellBack = { class: 'not_comparable', path: 'headers.x-service-core-runtime' } as const

  it.each([
    ['returns 500', failed],
    ['falls back to the core', fellBack],
  ])('counts as crashed if every scenario that should succeed %s', async (_, failure) => {
    expect(await measure([[failure], [failure]])).toEqual({ outcome: 'crashed', runs: 2 })
  })

  it('is killed if only some of the scenarios that should succeed fail', async () => {
    expect(await measure([[failed], [{}], [{}]])).toEqual({ outcome: 'killed', runs: 2 })
    expect(await measure([[failed], [failed]], true)).toEqual({ outcome: 'killed', runs: 1 })
  })

  it('is killed if it turns one error into a different one', async () => {
    expect(await measure([[{ native: 500, core: 404, class: 'regression', path: 'status' }]])).toEqual({
      outcome: 'killed',
      runs: 1,
    })
  })
})
