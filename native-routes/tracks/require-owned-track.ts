import { ApiError } from '#contracts/errors.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Reader } from '#db/client/connection.ts'
import { findTrackOwnedBy, type OwnedTrack } from '#db/queries/tracks/tracks.ts'
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
