import type { Versions } from '#contracts/tracks.versions.ts'
import type { Reader } from '#db/client/connection.ts'
import { listTrackVersions } from '#db/queries/tracks/track-versions.ts'
import type { OwnedTrack } from '#db/queries/tracks/tracks.ts'

export const readVersions = async (db: Reader, { id }: OwnedTrack): Promise<Versions> => {
  const versions = await listTrackVersions(db, id)
  const current = versions.find(({ isCurrent }) => isCurrent)
  return { trackId: id, currentVersionId: current?.id ?? null, versions }
}
