import type { RegisterRoutes } from '../create-app.ts'
import { requireOwnedTrackId } from '../track-scope.ts'

// The database driver converts column names to camel case.
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

export const trackStems: RegisterRoutes = (app, { sql }) => {
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
}
