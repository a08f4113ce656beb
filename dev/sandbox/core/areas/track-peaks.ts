import { CoreError } from '../core-error.ts'
import type { RegisterRoutes } from '../create-app.ts'
import { requireOwnedTrackId } from '../track-scope.ts'

interface PeaksRow {
  readonly bits: 8 | 16
  readonly data: Buffer
}

const decodeIntegers = ({ bits, data }: PeaksRow) =>
  bits === 8
    ? Array.from(data, (_, index) => data.readInt8(index))
    : Array.from({ length: data.length / 2 }, (_, index) => data.readInt16LE(index * 2))

export const trackPeaks: RegisterRoutes = (app, { sql }) => {
  app.get('/v1/tracks/:trackId/peaks', async (request) => {
    const [peaks] = await sql<PeaksRow[]>`
      select peaks.track_id, peaks.version_id, asset_id, 2 as version, channels, sample_rate, samples_per_pixel, bits,
        length, data, peaks.duration_ms, peaks.created_at
      from tracks join track_peaks peaks on peaks.version_id = tracks.current_version_id
      where tracks.id = ${requireOwnedTrackId(request)}`
    if (!peaks) throw new CoreError('peaks_not_found')
    return { ...peaks, data: decodeIntegers(peaks) }
  })
}
