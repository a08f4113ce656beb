/** Buckets of durations, each wider than the one before by the same factor. */
export interface DurationBuckets {
  readonly count: number
  /** The bucket that contains a duration: the first for shorter ones, the last for longer ones. */
  bucketOf(durationMs: number): number
  /** The longest duration of a bucket, in milliseconds. */
  upperBoundOf(bucket: number): number
}

/** The first bucket ends at `minMs`, each other one is `growth` times as long as the one before. */
export const createDurationBuckets = (minMs: number, growth: number, count: number): DurationBuckets => {
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
