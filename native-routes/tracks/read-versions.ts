import { ApiError } from '#contracts/errors.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Versions } from '#contracts/tracks.versions.ts'
import type { Reader } from '#db/client/connection.ts'
import { findTrackVersion, listTrackVersions } from '#db/queries/tracks/track-versions.ts'
import type { OwnedTrack } from '#db/queries/tracks/tracks.ts'

export const readVersions = async (db: Reader, { id }: OwnedTrack): Promise<Versions> => {
  const versions = await listTrackVersions(db, id)
  const current = versions.find(({ isCurrent }) => isCurrent)
  return { trackId: id, currentVersionId: current?.id ?? null, versions }
}

export const requireVersion = async (db: Reader, { id }: OwnedTrack, versionId: string) => {
  const version = isId(versionId) ? await findTrackVersion(db, id, versionId) : null
  if (!version) throw new ApiError('version_not_found')
  return version
}
