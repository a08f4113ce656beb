import { list } from '#contracts/tracks.stems.ts'
import { findTrackStems } from '#db/queries/tracks/track-audio.ts'
import { defineRoute } from '../define-route.ts'
import { listRecords, positionByCreation, selectRange } from '../paging.ts'

type Separation = Awaited<ReturnType<typeof findTrackStems>>
type Status = 'none' | 'queued' | 'processing' | 'ready' | 'failed'

// A track can have stems even if no separation ever ran, because owners can upload them.
const resolveStatus = ({ lane, hasAudio, stems }: Separation): Status => {
  if (lane === 'processing' || lane === 'ready' || lane === 'failed') return lane
  if (stems.length > 0) return 'ready'
  return hasAudio && lane !== 'skipped' ? 'queued' : 'none'
}

export const listStems = defineRoute(list, async ({ track, query }, { db }) => {
  const separation = await findTrackStems(db.read, track.id)
  const { records: stems, ...page } = await listRecords(
    query,
    async (range) => selectRange(separation.stems, range),
    positionByCreation,
  )
  return { trackId: track.id, status: resolveStatus(separation), stems, ...page }
})
