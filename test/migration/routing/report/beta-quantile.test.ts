import { describe, expect, it } from 'vitest'
import { betaProbability, findBetaPrimeQuantile } from '#migration/routing/report/beta-quantile.ts'

describe('the incomplete beta function', () => {
  it.each([
    // By numerical integration of the density.
    [0.5, 1, 1, 0.5],
    [0.3, 2, 3, 0.3483],
    [0.9, 5, 2, 0.885735],
    [0.8, 10, 3, 0.5583457],
    [0, 4, 4, 0],
    [1, 4, 4, 1],
  ])('at %d with (%i, %i) is %d', (x, a, b, expected) => {
    expect(betaProbability(x, a, b)).toBeCloseTo(expected, 6)
  })

  it('is the complement of the one with swapped parameters', () => {
    for (const [a, b] of [
      [1, 77],
      [40, 40],
      [77, 3],
    ] as const)
      for (const x of [0.01, 0.2, 0.5, 0.93])
        expect(betaProbability(x, a, b) + betaProbability(1 - x, b, a)).toBeCloseTo(1, 10)
  })
})

describe('the quantile of the beta prime distribution', () => {
  it('is p / (1 - p) for a ratio of two exponential variables', () => {
    for (const p of [0.1, 0.5, 0.9]) expect(findBetaPrimeQuantile(p, 1, 1)).toBeCloseTo(p / (1 - p), 9)
  })

  it('inverts the probability', () => {
    for (const [a, b] of [
      [1, 3],
      [33, 12],
      [77, 3],
    ] as const)
      for (const p of [0.1, 0.5, 0.9]) {
        const ratio = findBetaPrimeQuantile(p, a, b)
        expect(betaProbability(ratio / (1 + ratio), a, b)).toBeCloseTo(p, 9)
      }
  })
})
