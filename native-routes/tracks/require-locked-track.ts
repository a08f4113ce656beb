import { ApiError } from '#contracts/errors.ts'
import type { Queryable } from '#db/client/connection.ts'
import { lockTrackOwnedBy, type OwnedTrack } from '#db/queries/tracks/tracks.ts'

export const requireLockedTrack = async (tx: Queryable, { id, ownerId }: OwnedTrack): Promise<OwnedTrack> => {
  const track = await lockTrackOwnedBy(tx, id, ownerId)
  if (!track) throw new ApiError('track_not_found')
  return track
}
