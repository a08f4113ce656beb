import { ApiError } from '#contracts/errors.ts'
import { detail } from '#contracts/tracks.peaks.ts'
import { findTrackPeaks } from '#db/queries/tracks/track-audio.ts'
import { defineRoute } from '../define-route.ts'

type Bits = 8 | 16

interface Samples {
  readonly bits: Bits
  readonly data: number[]
}

// Rounds towards zero, like audiowaveform.
const converters: Readonly<Record<Bits, (sample: number) => number>> = {
  8: (sample) => Math.trunc(sample / 256),
  16: (sample) => sample * 256,
}

const convertPeaks = <P extends Samples>(peaks: P, bits: Bits): P =>
  peaks.bits === bits ? peaks : { ...peaks, bits, data: peaks.data.map(converters[bits]) }

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
