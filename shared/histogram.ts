export class BucketHistogram {
  /** Ascending. Values above the last bound are in no bucket. */
  readonly bounds: readonly number[]
  /** Not cumulative. */
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

/**
 * Creates duration buckets. The first ends at `minMs`, and each further bound is `growth` times the last. A longer
 * duration falls into the last one.
 */
const createDurationBuckets = (minMs: number, growth: number, count: number) => {
  const inverseLogGrowth = 1 / Math.log(growth)
  return {
    count,
    bucketOf: (durationMs: number) =>
      durationMs <= minMs
        ? 0
        : Math.min(count - 1, Math.ceil(Math.log(durationMs / minMs) * inverseLogGrowth)),
    upperBoundOf: (bucket: number) => minMs * growth ** bucket,
  }
}

/** The buckets for stored durations: 48 with bounds from 0.5 ms to 18 s, each 25 % above the last. */
export const storedDurationBuckets = createDurationBuckets(0.5, 1.25, 48)

/**
 * Interpolates within the percentile's bucket, so the result may be up to 25 % too high or too low. Null if nothing was
 * counted.
 */
export const findPercentile = (counts: readonly number[], share: number): number | null => {
  const { upperBoundOf } = storedDurationBuckets
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
 * Counts durations from 0.1 ms to 10 minutes in buckets 5 % wide. It takes 1.3 KB, however many durations it counts. A
 * percentile is its bucket's upper bound: up to 5 % too long, never too short.
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

  addAll(other: DurationHistogram) {
    for (let bucket = 0; bucket < bucketCount; bucket += 1)
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + (other.#counts[bucket] ?? 0)
    this.#total += other.#total
  }

  clear() {
    this.#counts.fill(0)
    this.#total = 0
  }

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
