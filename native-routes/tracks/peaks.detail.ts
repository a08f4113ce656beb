import { ApiError } from '#contracts/errors.ts'
import { detail } from '#contracts/tracks.peaks.ts'
import { findTrackPeaks } from '#db/queries/tracks/track-audio.ts'
import { defineRoute } from '../define-route.ts'
import { convertPeaks } from './convert-peaks.ts'

export const showPeaks = defineRoute(detail, async ({ track, query }, { db }) => {
  const stored = await findTrackPeaks(db.read, track.id)
  if (!stored) throw new ApiError('peaks_not_found')
  const peaks = { ...stored, version: 2 as const }
  if (query.format === undefined) return peaks
  return {
    ...convertPeaks(peaks, query.bits ?? 8),
    sample_rate: peaks.sampleRate,
    samples_per_pixel: peaks.samplesPerPixel,
  }
})
