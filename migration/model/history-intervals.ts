import { dayMs, hourMs, minuteMs } from '#shared/durations.ts'

/** Possible interval widths. All are multiples of the width that requests are counted in. */
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

/** The most intervals in a history. */
const maxIntervals = 150
/** How long requests are stored in ten-minute intervals. Older ones are stored by day. */
const intervalRetentionMs = 14 * dayMs

export interface HistoryIntervals {
  readonly widthMs: number
  /** Start of each interval, oldest first, in Unix milliseconds. The last one is incomplete. */
  readonly starts: readonly number[]
}

/** Divides the last `durationMs` into at most 150 intervals of at least ten minutes. */
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
