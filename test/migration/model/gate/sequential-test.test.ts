import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addComparisons,
  computeProgress,
  countMissingComparisons,
  createSequentialTestState,
  hasPassed,
  SequentialTestState,
  sequentialTest as test,
} from '#migration/model/gate/sequential-test.ts'
import { countCases } from '#test/support/count-cases.ts'
import { simulatePromotions } from './simulate-gate.ts'

const stateAfter = (comparisons: number, regressions = 0) =>
  addComparisons(createSequentialTestState(), test, comparisons, regressions)

describe('the sequential test of comparisons', () => {
  it('passes after 664 comparisons without a regression, and not before', () => {
    expect(hasPassed(stateAfter(663), test)).toBe(false)
    expect(hasPassed(stateAfter(664), test)).toBe(true)
    expect(countMissingComparisons(createSequentialTestState(), test)).toBe(664)
    expect(countMissingComparisons(stateAfter(412), test)).toBe(664 - 412)
    expect(countMissingComparisons(stateAfter(700), test)).toBe(0)
  })

  it('requires about 510 more comparisons for each regression', () => {
    const required = [0, 1, 2].map((regressions) => {
      const state = stateAfter(600, regressions)
      return 600 + (countMissingComparisons(state, test) ?? 0)
    })
    expect(required).toEqual([664, 1176, 1687])
  })

  it('fails after two regressions in a row, and stays failed', () => {
    const failed = addComparisons(stateAfter(1, 1), test, 1, 1)
    expect(failed.hasFailed).toBe(true)
    expect(addComparisons(failed, test, 100_000, 0)).toEqual(failed)
    expect(hasPassed(failed, test)).toBe(false)
    expect(countMissingComparisons(failed, test)).toBeNull()
  })

  it('becomes undecided again when a regression follows right after it has passed', () => {
    const state = addComparisons(stateAfter(664), test, 1, 1)
    expect(hasPassed(state, test)).toBe(false)
    expect(countMissingComparisons(state, test)).toBe(511)
  })

  it('reports its progress between the two bounds', () => {
    expect(computeProgress(createSequentialTestState(), test)).toBe(0)
    expect(computeProgress(stateAfter(332), test)).toBeCloseTo(0.5, 2)
    expect(computeProgress(stateAfter(10_000), test)).toBe(1)
    expect(computeProgress(stateAfter(1, 1), test)).toBeCloseTo(-0.77, 2)
    expect(computeProgress(stateAfter(2, 2), test)).toBe(-1)
  })

  it('has the same sum after a batch as after the same comparisons one at a time, in any order', () => {
    const outcomes = fc.array(fc.boolean(), { minLength: 1, maxLength: 50 })
    // The bounds are so far apart that the sequential test cannot fail partway, whatever the order.
    const wide = { ...test, bound: 1000 }
    fc.assert(
      fc.property(outcomes, (regressions) => {
        const single = regressions.reduce(
          (state, isRegression) => addComparisons(state, wide, 1, isRegression ? 1 : 0),
          createSequentialTestState(),
        )
        const found = regressions.filter((isRegression) => isRegression).length
        const batch = addComparisons(createSequentialTestState(), wide, regressions.length, found)
        expect(batch.score).toBeCloseTo(single.score, 9)
        expect(batch).toMatchObject({ comparisons: single.comparisons, regressions: single.regressions })
      }),
      { numRuns: countCases(400) },
    )
  })

  it('does not pass with a batch that may reach the bound partway but is below it at the end', () => {
    expect(hasPassed(stateAfter(1200, 2), test)).toBe(false)
    expect(hasPassed(stateAfter(1700, 2), test)).toBe(true)
  })

  it('can be stored as JSON', () => {
    const state = stateAfter(900, 1)
    expect(SequentialTestState.parse(JSON.parse(JSON.stringify(state)))).toEqual(state)
  })

  it('passes at most 5 % of routes with 0.5 % wrong responses if evaluated after each comparison', () => {
    const { passed, runs } = simulatePromotions(500, 0.005)
    expect(passed / runs).toBeLessThanOrEqual(0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs))
    expect(passed).toBeGreaterThan(0)
  })

  it('passes at least 93 % of routes with 0.05 % wrong responses', () => {
    const { passed, runs } = simulatePromotions(500, 0.0005)
    expect(passed / runs).toBeGreaterThanOrEqual(0.93)
  })
})
