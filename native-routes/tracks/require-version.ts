import { ApiError } from '#contracts/errors.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Reader } from '#db/client/connection.ts'
import { findTrackVersion } from '#db/queries/tracks/track-versions.ts'
import type { OwnedTrack } from '#db/queries/tracks/tracks.ts'

export const requireVersion = async (db: Reader, { id }: OwnedTrack, versionId: string) => {
  const version = isId(versionId) ? await findTrackVersion(db, id, versionId) : null
  if (!version) throw new ApiError('version_not_found')
  return version
}
