import { ApiError } from '#contracts/errors.ts'
import { remove } from '#contracts/tracks.versions.ts'
import { deleteTrackVersion, findOriginalVersion } from '#db/queries/tracks/track-versions.ts'
import { defineRoute } from '../define-route.ts'
import { readVersions, requireVersion } from './read-versions.ts'
import { requireLockedTrack } from './require-track.ts'
import { changeCurrentVersion } from './start-processing.ts'

export const removeVersion = defineRoute(remove, ({ track, params }, { db }) =>
  db.tx(async (tx) => {
    const locked = await requireLockedTrack(tx, track)
    const version = await requireVersion(tx, locked, params.versionId)
    if (version.isOriginal) throw new ApiError('original_version_cannot_be_deleted')
    if (version.id === locked.currentVersionId) {
      const original = await findOriginalVersion(tx, locked.id)
      if (original) await changeCurrentVersion(tx, original)
    }
    await deleteTrackVersion(tx, version.id)
    return readVersions(tx, locked)
  }),
)
