import { describe, expect, it } from 'vitest'
import { median, pairedRatio } from '#bench/statistics.ts'

describe('the figures of the bench', () => {
  it.each([
    ['the one in the middle', [3, 100, 1], 3],
    ['the mean of the two in the middle', [4, 1, 2, 100], 3],
  ])('take %s for the median', (_, values, expected) => {
    expect(median(values)).toBe(expected)
  })

  it('compare each round with the same round, whatever slowed the round down', () => {
    expect(pairedRatio([10, 20, 40], [5, 20, 10])).toEqual({ median: 2, lowest: 1, highest: 4 })
  })
})
