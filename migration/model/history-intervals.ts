const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** The widths of the intervals of a history; all are multiples of those in which requests are counted. */
const widthsMs = [
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  3 * hourMs,
  6 * hourMs,
  dayMs,
  2 * dayMs,
  3 * dayMs,
] as const

/** How many intervals a history has at most. */
const maxIntervals = 150
/** The period in which requests are stored by intervals of ten minutes; before that, by days. */
const intervalRetentionMs = 14 * dayMs

/** Periods of equal width that a history consists of. */
export interface HistoryIntervals {
  readonly widthMs: number
  /** When each of them begins, the oldest first, in milliseconds since the epoch of Unix. The last one is incomplete. */
  readonly starts: readonly number[]
}

/** Divides the last `durationMs` into at most 150 intervals: of ten minutes, or as much wider as that requires. */
export const divideIntoIntervals = (durationMs: number, now: number): HistoryIntervals => {
  const narrowest = durationMs > intervalRetentionMs ? dayMs : 0
  const widthMs =
    widthsMs.find((width) => width >= narrowest && durationMs / width < maxIntervals) ?? 3 * dayMs
  const count = Math.max(1, Math.ceil(durationMs / widthMs))
  const last = Math.floor(now / widthMs) * widthMs
  return {
    widthMs,
    starts: Array.from({ length: count }, (_, index) => last - (count - 1 - index) * widthMs),
  }
}
