import * as z from 'zod'
import { CoreError } from '../core-error.ts'
import type { RegisterRoutes } from '../create-app.ts'
import { readQuery } from '../input.ts'
import { requireOwnedTrackId } from '../track-scope.ts'

interface PeaksRow {
  readonly bits: 8 | 16
  readonly data: Buffer
}

const decodeIntegers = ({ bits, data }: PeaksRow) =>
  bits === 8
    ? Array.from(data, (_, index) => data.readInt8(index))
    : Array.from({ length: data.length / 2 }, (_, index) => data.readInt16LE(index * 2))

interface StemSeparation {
  readonly hasAudio: boolean
  readonly status: 'pending' | 'processing' | 'ready' | 'failed' | 'skipped' | null
}

/**
 * Derives the stem separation's status for the API. Until a separation starts, a track with uploaded stems is `ready`.
 * Any other track with audio is `queued`, unless its separation was skipped.
 */
const deriveStatus = ({ hasAudio, status }: StemSeparation, stemCount: number) => {
  if (status === 'processing' || status === 'ready' || status === 'failed') return status
  if (stemCount > 0) return 'ready'
  return hasAudio && status !== 'skipped' ? 'queued' : 'none'
}

const TagQuery = z.object({
  includeHidden: z
    .enum(['true', 'false'], 'expected true or false')
    .default('false')
    .transform((text) => text === 'true'),
})

interface TagRow {
  readonly hidden: boolean
  readonly updatedAt: Date
}

const findLastUpdate = (tags: readonly TagRow[]) =>
  tags.reduce<Date | null>((last, { updatedAt }) => (last && last > updatedAt ? last : updatedAt), null)

export const trackAnalysis: RegisterRoutes = (app, { sql }) => {
  app.get('/v1/tracks/:trackId/peaks', async (request) => {
    const [peaks] = await sql<PeaksRow[]>`
      select peaks.track_id, peaks.version_id, asset_id, 2 as version, channels, sample_rate, samples_per_pixel, bits,
        length, data, peaks.duration_ms, peaks.created_at
      from tracks join track_peaks peaks on peaks.version_id = tracks.current_version_id
      where tracks.id = ${requireOwnedTrackId(request)}`
    if (!peaks) throw new CoreError('peaks_not_found')
    return { ...peaks, data: decodeIntegers(peaks) }
  })

  app.get('/v1/tracks/:trackId/stems', async (request) => {
    const trackId = requireOwnedTrackId(request)
    const [separation] = await sql<StemSeparation[]>`
      select current_version_id is not null as has_audio, lanes.status
      from tracks left join processing_lanes lanes on lanes.track_id = tracks.id and lane = 'stems'
      where tracks.id = ${trackId}`
    const stems = await sql`
      select stems.id, stems.kind, stems.label, asset_id, content_type, byte_size::float8 as byte_size, duration_ms,
        source, stems.created_at
      from track_stems stems join media_assets assets on assets.id = asset_id
      where stems.track_id = ${trackId}
        and (stems.version_id is null
          or stems.version_id = (select current_version_id from tracks where id = ${trackId}))
      order by stems.created_at, stems.id`
    return {
      trackId,
      status: deriveStatus(separation ?? { hasAudio: false, status: null }, stems.length),
      stems,
    }
  })

  app.get('/v1/tracks/:trackId/tags', async (request) => {
    const trackId = requireOwnedTrackId(request)
    const { includeHidden } = readQuery(request, TagQuery)
    const tags = await sql<TagRow[]>`
      select id, category, value, label, numeric_value, confidence, source, hidden, created_at, updated_at
      from track_tags where track_id = ${trackId} order by category collate "C", confidence desc, id collate "C"`
    return {
      trackId,
      tags: tags.filter((tag) => includeHidden || !tag.hidden),
      updatedAt: findLastUpdate(tags),
    }
  })
}
