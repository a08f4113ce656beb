import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BucketHistogram, findPercentile, storedDurationBuckets } from '#shared/histogram.ts'

it('a histogram counts each value in the first bucket that can hold it', () => {
  const histogram = new BucketHistogram([0, 1, 5])
  for (const value of [0, 0.5, 1, 5, 5.1]) histogram.observe(value)
  expect(histogram.counts).toEqual([1, 2, 1])
  expect(histogram).toMatchObject({ count: 5, sum: 11.6 })
})

const { bucketOf, upperBoundOf, count } = storedDurationBuckets

const countDurations = (durations: readonly number[]) => {
  const counts = Array.from({ length: count }, () => 0)
  for (const duration of durations) counts[bucketOf(duration)]! += 1
  return counts
}

describe('the stored duration buckets', () => {
  it('contain every duration, because the last bucket has no upper bound', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e7, noNaN: true }), (duration) => {
        const bucket = bucketOf(duration)
        const tolerance = 1 + 1e-9
        if (bucket < count - 1) expect(duration).toBeLessThanOrEqual(upperBoundOf(bucket) * tolerance)
        if (bucket > 0) expect(duration * tolerance).toBeGreaterThan(upperBoundOf(bucket - 1))
      }),
    )
  })

  it('yield percentiles within 25 % of the actual ones', () => {
    const durations = fc.array(fc.double({ min: 0.5, max: 15_000, noNaN: true }), { minLength: 1 })
    fc.assert(
      fc.property(durations, fc.double({ min: 0.01, max: 1, noNaN: true }), (measured, share) => {
        const sorted = measured.toSorted((left, right) => left - right)
        const actual = sorted[Math.ceil(sorted.length * share) - 1] ?? 0
        const found = findPercentile(countDurations(measured), share) ?? 0
        expect(found / actual).toBeGreaterThan(0.79)
        expect(found / actual).toBeLessThan(1.26)
      }),
    )
  })

  it('yield no percentile if there are no durations', () => {
    expect([findPercentile([], 0.5), findPercentile([0, 0], 0.5)]).toEqual([null, null])
  })
})
