import { ApiError } from '#contracts/errors.ts'
import { detail } from '#contracts/tracks.peaks.ts'
import { findTrackPeaks } from '#db/queries/track-peaks.ts'
import { defineRoute } from '../define-route.ts'

export const showPeaks = defineRoute(detail, async ({ track }, { db }) => {
  const peaks = await findTrackPeaks(db.read, track.id)
  if (!peaks) throw new ApiError('peaks_not_found')
  return { ...peaks, version: 2 as const }
})
