export const median = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1)
  return middle.reduce((sum, value) => sum + value, 0) / middle.length
}

/** Returns the ratios of values from the same round, so that a slow round affects both sides of a ratio. */
export const pairedRatios = (values: readonly number[], against: readonly number[]) =>
  values.map((value, round) => value / (against[round] ?? Number.NaN))

/**
 * Returns a 95 % confidence interval for the median. It depends only on the values' ranks, so it is valid for any
 * distribution.
 */
export const intervalOfMedian = (values: readonly number[]): readonly [low: number, high: number] => {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = Math.max(1, Math.round((sorted.length - 1.96 * Math.sqrt(sorted.length)) / 2))
  return [sorted[rank - 1] ?? Number.NaN, sorted[sorted.length - rank] ?? Number.NaN]
}

export const pairedRatio = (values: readonly number[], against: readonly number[]) => {
  const ratios = pairedRatios(values, against)
  return { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) }
}
