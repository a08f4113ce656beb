import { dayMs } from '#shared/durations.ts'

/** What separates a finding from a false alarm. Durations in milliseconds. */
export const thresholds = {
  /** A week leaves time to replace a link before its holders lose access. */
  shareExpiresWithinMs: 7 * dayMs,
  /** People often open a link days after they get it. A week includes one weekend. */
  shareIsUnplayedAfterMs: 7 * dayMs,
  /** A new track is usually finished before it is shared. */
  trackIsUnsharedAfterMs: 30 * dayMs,
  /** Encoders pad the same audio by less than a second. Versions of a song differ by more. */
  sameDurationMs: 1000,
  /** A name that more recordings share, such as "Untitled", identifies none of them. */
  recordingsOfName: 50,
  /** Whole weeks, because plays depend on the weekday. */
  trendDays: 28,
  /** Below this number, plays may rise or fall by chance. */
  trendPlays: 20,
  trendFactor: 1.5,
  /**
   * By how many standard deviations two Poisson counts must differ. With 3, chance causes fewer than three findings in
   * a thousand tracks.
   */
  trendDeviations: 3,
} as const

/** The maximum number of tracks, and of links of each kind, to analyse, newest first. Bounds a request's memory. */
export const maxAnalysed = 20_000
