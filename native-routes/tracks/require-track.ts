import { ApiError } from '#contracts/errors.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Queryable, Reader } from '#db/client/connection.ts'
import { findTrackOwnedBy, lockTrackOwnedBy, type OwnedTrack } from '#db/queries/tracks/tracks.ts'
import type { Actor } from '../ports.ts'

export const requireOwnedTrack = async (
  db: Reader,
  trackId: string | undefined,
  { accountId }: Actor,
): Promise<OwnedTrack> => {
  const track = isId(trackId) ? await findTrackOwnedBy(db, trackId, accountId) : null
  if (!track) throw new ApiError('track_not_found')
  return track
}

export const requireLockedTrack = async (tx: Queryable, { id, ownerId }: OwnedTrack): Promise<OwnedTrack> => {
  const track = await lockTrackOwnedBy(tx, id, ownerId)
  if (!track) throw new ApiError('track_not_found')
  return track
}
