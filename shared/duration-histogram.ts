const growth = 1.05
const minMs = 0.1
const bucketCount = 320
const inverseLogGrowth = 1 / Math.log(growth)

const bucketOfDuration = (durationMs: number) =>
  durationMs <= minMs
    ? 0
    : Math.min(bucketCount - 1, Math.ceil(Math.log(durationMs / minMs) * inverseLogGrowth))

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
    const bucket = bucketOfDuration(durationMs)
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
      if (counted >= rank) return minMs * growth ** bucket
    }
    return Number.NaN
  }
}
