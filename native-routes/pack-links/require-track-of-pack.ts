import { ApiError } from '#contracts/errors.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Reader } from '#db/client/connection.ts'
import { findTrackOfPack } from '#db/queries/packs/pack-tracks.ts'
import type { SharedPack } from './require-pack-link.ts'

/** Returns a track of the shared pack. Throws `track_not_found` for any other track, even if the owner asks. */
export const requireTrackOfPack = async (db: Reader, { packId }: SharedPack, trackId: string) => {
  const track = isId(trackId) ? await findTrackOfPack(db, packId, trackId) : null
  if (!track) throw new ApiError('track_not_found')
  return track
}
