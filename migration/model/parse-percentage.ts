const percentage = /^(\d{1,3})(?:\.(\d{1,2}))?%?$/

/**
 * Parses `5`, `0.5` or `5%` into basis points. Returns null unless it is a percentage up to 100 with at most two
 * decimals.
 */
export const parsePercentage = (text: string): number | null => {
  const [, whole, fraction = ''] = percentage.exec(text) ?? []
  const weightBp = whole === undefined ? Number.NaN : Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
  return weightBp <= 10_000 ? weightBp : null
}
