import { describe, expect, it } from 'vitest'
import { median, pairedRatio } from '#bench/statistics.ts'

describe('median', () => {
  it.each([
    ['the middle value', [3, 100, 1], 3],
    ['the mean of the two middle values', [4, 1, 2, 100], 3],
  ])('returns %s', (_, values, expected) => {
    expect(median(values)).toBe(expected)
  })
})

describe('pairedRatio', () => {
  it('compares each value with the value of the same round', () => {
    expect(pairedRatio([10, 20, 40], [5, 20, 10])).toEqual({ median: 2, lowest: 1, highest: 4 })
  })
})
