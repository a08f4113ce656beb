const dayMs = 86_400_000

/**
 * What separates a finding from a false alarm. Durations are in milliseconds.
 */
export const thresholds = {
  /** Without a new link, its holders lose access: a week leaves time to replace it. */
  shareExpiresWithinMs: 7 * dayMs,
  /** Recipients often open a link days after they receive it: a week includes one weekend. */
  shareIsUnplayedAfterMs: 7 * dayMs,
  /** A new track is usually finished before it is shared: a month. */
  trackIsUnsharedAfterMs: 30 * dayMs,
  /** An upload may be finalized for an hour after it expires. */
  uploadGraceMs: 3_600_000,
  /** Encoders pad the same audio by different amounts, of less than a second; versions of a song differ by more. */
  sameDurationMs: 1000,
  /** A name of more recordings, such as "Untitled", does not identify one. */
  recordingsOfName: 50,
  /** Whole weeks, because plays depend on the day of the week. */
  trendDays: 28,
  /** Fewer plays change by chance. */
  trendPlays: 20,
  /** By which factor plays must change. */
  trendFactor: 1.5,
  /**
   * By how many standard deviations the difference of two Poisson counts must exceed chance. With 3, chance causes less
   * than three findings in a thousand tracks.
   */
  trendDeviations: 3,
} as const

/** How many tracks, and how many links of a kind, are analysed at most, the newest first. It bounds the memory of a request. */
export const maxAnalysed = 20_000
