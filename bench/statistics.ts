/** The middle value, or the mean of the two middle values. */
export const median = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1)
  return middle.reduce((sum, value) => sum + value, 0) / middle.length
}

export interface Ratio {
  readonly median: number
  readonly lowest: number
  readonly highest: number
}

/** The ratios of the values of the same rounds, so that a slow round affects both sides of a ratio. */
export const pairedRatio = (values: readonly number[], against: readonly number[]): Ratio => {
  const ratios = values.map((value, round) => value / (against[round] ?? Number.NaN))
  return { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) }
}
