/** Counts values by fixed upper bounds, without an allocation for each value. */
export class BucketHistogram {
  /** Ascending; values above the last one are in no bucket. */
  readonly bounds: readonly number[]
  /** How many values are in each bucket and in none before it. */
  readonly counts: number[]
  count = 0
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = bounds.map(() => 0)
  }

  observe(value: number) {
    this.count += 1
    this.sum += value
    const { bounds, counts } = this
    for (let bucket = 0; bucket < bounds.length; bucket += 1)
      if (value <= (bounds[bucket] ?? Number.POSITIVE_INFINITY)) {
        counts[bucket] = (counts[bucket] ?? 0) + 1
        return
      }
  }
}
