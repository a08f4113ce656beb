import { expect, it } from 'vitest'
import { BucketHistogram } from '#shared/bucket-histogram.ts'

it('counts values in the first bucket whose bound they do not exceed', () => {
  const histogram = new BucketHistogram([0, 1, 5])
  for (const value of [0, 0.5, 1, 5, 5.1]) histogram.observe(value)
  expect(histogram.counts).toEqual([1, 2, 1])
  expect(histogram).toMatchObject({ count: 5, sum: 11.6 })
})
