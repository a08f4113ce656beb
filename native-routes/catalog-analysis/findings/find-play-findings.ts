import type { Finding } from '#contracts/shared/catalog-findings.ts'
import {
  type ComparedPeriods,
  listPlaysOfTracks,
  type TrackPlays,
} from '#db/queries/catalog-analysis/catalog-plays.ts'
import { dayMs } from '#shared/durations.ts'
import type { ToolScope } from '../tools/define-tool.ts'
import { subjectOfTrack } from './find-track-findings.ts'
import { maxAnalysed, thresholds } from './thresholds.ts'

/** Neither period includes today, because today is not over. */
export const comparePeriods = (now: Date): ComparedPeriods => {
  const dayBefore = (days: number) => new Date(now.valueOf() - days * dayMs).toISOString().slice(0, 10)
  const { trendDays } = thresholds
  return { previousFrom: dayBefore(2 * trendDays), from: dayBefore(trendDays), to: dayBefore(1) }
}

export const readPlays = ({ db, accountId, now }: ToolScope) =>
  listPlaysOfTracks(db, accountId, comparePeriods(now), maxAnalysed)

const isMoreThan = (plays: number, others: number) =>
  plays >= thresholds.trendPlays &&
  plays >= others * thresholds.trendFactor &&
  (plays - others) / Math.sqrt(plays + others) >= thresholds.trendDeviations

/** Whether a track's plays rise or fall; null if neither, or if it is too new to compare. */
export const trendOf = (
  { plays, previousPlays, createdAt }: TrackPlays,
  now: Date,
): 'rising' | 'falling' | null => {
  if (createdAt.slice(0, 10) > comparePeriods(now).previousFrom) return null
  if (isMoreThan(plays, previousPlays)) return 'rising'
  return isMoreThan(previousPlays, plays) ? 'falling' : null
}

const actionOf = {
  rising: "Check the track's analytics to see where the plays come from, and share it more widely there.",
  falling: "Check whether the track's links still work, and share it again if you want more plays.",
} as const

export const findPlayFindings = (played: readonly TrackPlays[], now: Date): Finding[] =>
  played.flatMap((track) => {
    const trend = trendOf(track, now)
    if (trend === null) return []
    return [
      {
        kind: `plays_${trend}` as const,
        severity: 'info',
        subject: subjectOfTrack(track),
        message: `The track had ${track.plays} plays in the last ${thresholds.trendDays} days, after ${track.previousPlays} in the ${thresholds.trendDays} days before.`,
        action: actionOf[trend],
      },
    ]
  })
