const units = [
  { ms: 24 * 60 * 60_000, name: 'd' },
  { ms: 60 * 60_000, name: 'h' },
  { ms: 60_000, name: 'min' },
  { ms: 1000, name: 's' },
] as const

/** Formats a duration: `1 h 24 min`. Rounds up, so that a remaining time is never shown as zero. */
export const formatDuration = (durationMs: number): string => {
  const [unit, finer] = units.slice(units.findIndex(({ ms }) => durationMs >= ms))
  if (!unit || !finer) return `${Math.ceil(durationMs / 1000)} s`
  const rounded = Math.ceil(durationMs / finer.ms) * finer.ms
  if (rounded !== durationMs) return formatDuration(rounded)
  const rest = (rounded % unit.ms) / finer.ms
  return `${Math.floor(rounded / unit.ms)} ${unit.name}${rest > 0 ? ` ${rest} ${finer.name}` : ''}`
}

/** Formats Unix milliseconds or ISO 8601 as `2026-01-31T08:05Z`. */
export const formatMinute = (time: number | string) => `${new Date(time).toISOString().slice(0, 16)}Z`

const numberFormat = new Intl.NumberFormat('en-US')

export const formatCount = (count: number) => numberFormat.format(count)

/** Formats a count with its noun: `1 regression`, `3 regressions`, `no regressions`. */
export const formatCountOf = (count: number, noun: string) =>
  `${count === 0 ? 'no' : formatCount(count)} ${noun}${count === 1 ? '' : 's'}`

const roundRate = (rate: number) => formatCount(rate < 10 ? Number(rate.toPrecision(2)) : Math.round(rate))

/** Formats a rate: `3 per minute`, or per hour or day if it is below one per minute. */
export const formatRate = (perMinute: number) => {
  if (perMinute >= 1) return `${roundRate(perMinute)} per minute`
  if (perMinute * 60 >= 1) return `${roundRate(perMinute * 60)} per hour`
  return `${roundRate(perMinute * 24 * 60)} per day`
}

export const formatPercent = (fraction: number) => `${Number((fraction * 100).toFixed(2))} %`
