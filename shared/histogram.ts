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

/** Buckets of durations, each wider than the one before by the same factor. */
interface DurationBuckets {
  readonly count: number
  /** The bucket that contains a duration: the first for shorter ones, the last for longer ones. */
  bucketOf(durationMs: number): number
  /** The longest duration of a bucket, in milliseconds. */
  upperBoundOf(bucket: number): number
}

/** The first bucket ends at `minMs`, each other one is `growth` times as long as the one before. */
const createDurationBuckets = (minMs: number, growth: number, count: number): DurationBuckets => {
  const inverseLogGrowth = 1 / Math.log(growth)
  return {
    count,
    bucketOf: (durationMs) =>
      durationMs <= minMs
        ? 0
        : Math.min(count - 1, Math.ceil(Math.log(durationMs / minMs) * inverseLogGrowth)),
    upperBoundOf: (bucket) => minMs * growth ** bucket,
  }
}

/** The buckets of stored durations: 48 from 0.5 ms to 18 s, each 25 % longer than the one before. */
export const storedDurationBuckets = createDurationBuckets(0.5, 1.25, 48)

/**
 * A percentile of durations that are counted in these buckets, in milliseconds: interpolated in its bucket, and so up to
 * 25 % too long or too short. Null if there are none.
 */
export const findPercentile = (
  counts: readonly number[],
  share: number,
  { upperBoundOf }: DurationBuckets = storedDurationBuckets,
): number | null => {
  const total = counts.reduce((sum, count) => sum + count, 0)
  const rank = Math.ceil(total * share)
  let counted = 0
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && counted + count >= rank) return upperBoundOf(bucket - 1 + (rank - counted) / count)
    counted += count
  }
  return null
}

const fineBuckets = createDurationBuckets(0.1, 1.05, 320)
const { count: bucketCount } = fineBuckets

/**
 * Counts durations of 0.1 ms to 10 minutes in buckets that are 5 % wide, in 1.3 KB whatever their number. A percentile is
 * the upper bound of its bucket: up to 5 % too long, never too short.
 */
export class DurationHistogram {
  readonly #counts = new Uint32Array(bucketCount)
  #total = 0

  get total() {
    return this.#total
  }

  add(durationMs: number) {
    const bucket = fineBuckets.bucketOf(durationMs)
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#total += 1
  }

  /** Counts what another histogram has counted. */
  addAll(other: DurationHistogram) {
    for (let bucket = 0; bucket < bucketCount; bucket += 1)
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + (other.#counts[bucket] ?? 0)
    this.#total += other.#total
  }

  clear() {
    this.#counts.fill(0)
    this.#total = 0
  }

  /** The percentile of this and another histogram together, in milliseconds; NaN if both are empty. */
  percentile(share: number, other: DurationHistogram): number {
    const rank = Math.ceil((this.#total + other.#total) * share)
    if (rank === 0) return Number.NaN
    let counted = 0
    for (let bucket = 0; bucket < bucketCount; bucket += 1) {
      counted += (this.#counts[bucket] ?? 0) + (other.#counts[bucket] ?? 0)
      if (counted >= rank) return fineBuckets.upperBoundOf(bucket)
    }
    return Number.NaN
  }
}
