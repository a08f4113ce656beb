import { expect, it } from 'vitest'
import { parsePercentage } from '#migration/model/format-state.ts'

it('a percentage of accounts must be a multiple of 0.01 %', () => {
  expect(['0', '1', '0.5', '25%', '99.99', '100', '0.01'].map(parsePercentage)).toEqual([
    0, 100, 50, 2500, 9999, 10_000, 1,
  ])
  expect(['', '-1', '100.01', '0.001', '1e1', '101', '%', '1,5'].map(parsePercentage)).toEqual(
    Array(8).fill(null),
  )
})
