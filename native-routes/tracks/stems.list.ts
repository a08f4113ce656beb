import { list } from '#contracts/tracks.stems.ts'
import { findTrackStems } from '#db/queries/track-stems.ts'
import { defineRoute } from '../define-route.ts'

type Separation = Awaited<ReturnType<typeof findTrackStems>>
type Status = 'none' | 'queued' | 'processing' | 'ready' | 'failed'

// A track can have stems without a separation, because an owner can upload them.
const resolveStatus = ({ lane, hasAudio, stems }: Separation): Status => {
  if (lane === 'processing' || lane === 'ready' || lane === 'failed') return lane
  if (stems.length > 0) return 'ready'
  return hasAudio && lane !== 'skipped' ? 'queued' : 'none'
}

export const listStems = defineRoute(list, async ({ track }, { db }) => {
  const separation = await findTrackStems(db.read, track.id)
  return { trackId: track.id, status: resolveStatus(separation), stems: separation.stems }
})
