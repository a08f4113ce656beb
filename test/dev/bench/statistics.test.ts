import { describe, expect, it } from 'vitest'
import { intervalOfMedian, median, pairedRatio } from '#dev/bench/statistics.ts'

describe('median', () => {
  it.each([
    ['the middle value', [3, 100, 1], 3],
    ['the mean of the two middle values', [4, 1, 2, 100], 3],
  ])('returns %s', (_, values, expected) => {
    expect(median(values)).toBe(expected)
  })
})

describe('intervalOfMedian', () => {
  // The ranks that come closest to 95 % coverage under the binomial distribution.
  it.each([
    [5, 1, 5],
    [7, 1, 7],
    [12, 3, 10],
    [20, 6, 15],
    [31, 10, 22],
  ])('for %i values, returns the values of rank %i and rank %i', (count, low, high) => {
    const values = Array.from({ length: count }, (_, index) => index + 1)
    expect(intervalOfMedian(values.toReversed())).toEqual([low, high])
  })
})

describe('pairedRatio', () => {
  it('compares only values from the same round', () => {
    expect(pairedRatio([10, 20, 40], [5, 20, 10])).toEqual({ median: 2, lowest: 1, highest: 4 })
  })
})
