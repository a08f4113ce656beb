import { describe, expect, it } from 'vitest'
import { noComparisonSums } from '#migration/model/gate/comparison-sums.ts'
import { evaluateGate } from '#migration/model/gate/evaluate-gate.ts'
import {
  describeFindings,
  describeNextStep,
  explainComparisons,
  explainMismatches,
  listGateWarnings,
} from '#migration/model/gate/explain-gate.ts'
import { defaultGateLimits } from '#migration/model/gate/gate-input.ts'
import { createGateInput, goodComparisons, stateOf, testAfter } from './gate-inputs.ts'

const label = 'tracks.list'
const shadowed = stateOf(label)

describe('the explanation of a gate', () => {
  it('names the mode and the next step', () => {
    expect(describeNextStep(evaluateGate(createGateInput(shadowed)), 'auto')).toEqual([
      'Mode: auto.',
      'Next step: 1 %. No check blocks it.',
    ])
    const held = evaluateGate(createGateInput({ ...shadowed, held: true }))
    expect(describeNextStep(held, 'auto')[1]).toMatch(
      /^Next step: 1 %, blocked by not-held\. tracks\.list is held/,
    )
    const native = evaluateGate(createGateInput(stateOf(label, { stage: 'native', weightBp: 10_000 })))
    expect(describeNextStep(native, 'auto')).toEqual(['There is no next step.'])
  })

  it('starts with a kill or hold, then names the stage and the share of differences', () => {
    const wrong = {
      ...goodComparisons,
      test: testAfter(340, 12),
      mainDifference: { kind: 'value', path: 'body.tracks.*.title' },
    }
    const native = stateOf(label, { stage: 'native', weightBp: 10_000, killed: true })
    expect(describeFindings(createGateInput(native, { comparisons: wrong }), native)).toEqual([
      'tracks.list is killed, so the core serves the route until tracks.list is resumed.',
      'Native differs from the core: 340 comparisons with 12 regressions (3.53 %, most often value at body.tracks.*.title), so the code has failed.',
    ])
    expect(describeFindings(createGateInput(shadowed), shadowed)).toEqual([])
  })

  it('warns of checks that are not met', () => {
    const missing = { contract: null, comparisons: null }
    expect(listGateWarnings(evaluateGate(createGateInput(shadowed, missing)))).toEqual([
      'Checks not met: contract, comparisons.',
    ])
    expect(listGateWarnings(evaluateGate(createGateInput(shadowed)))).toEqual([])
  })

  it('says how far the test has come, or that it has failed', () => {
    const explain = (regressions: number) =>
      explainComparisons(noComparisonSums, testAfter(664, regressions), defaultGateLimits.test)[0]
    expect(explain(0)).toMatch(/; the sequential test is at 100 % of the passing score\.$/)
    expect(explain(5)).toMatch(/; the sequential test has failed\.$/)
  })

  it('lists at most ten differences', () => {
    const found = {
      kind: 'value',
      path: 'body.name',
      class: 'regression',
      blame: 'native',
      count: 1,
      exampleNative: null,
      exampleCore: 'string #0123456789',
      requestIds: ['r1'],
    }
    const all = Array.from({ length: 12 }, (_, index) => ({ ...found, signature: `s${index}` }))
    const sentences = explainMismatches(all)
    expect(sentences).toHaveLength(11)
    expect(sentences[0]).toBe(
      'Difference s0: regression, value at body.name, blame native, found 1 time. Native had nothing, the core string #0123456789; requests r1.',
    )
    expect(sentences[10]).toBe('2 more differences: --json prints all.')
    expect(explainMismatches(all.slice(0, 10))).toHaveLength(10)
  })
})
