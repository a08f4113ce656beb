import { ApiError } from '#contracts/errors.ts'
import { promote } from '#contracts/tracks.versions.ts'
import { defineRoute, markUnchanged } from '../define-route.ts'
import { readVersions, requireVersion } from './read-versions.ts'
import { requireLockedTrack } from './require-track.ts'
import { changeCurrentVersion, restartInterruptedProcessing } from './start-processing.ts'

export const promoteVersion = defineRoute(promote, ({ track, params }, { db }) =>
  db.tx(async (tx) => {
    const locked = await requireLockedTrack(tx, track)
    const version = await requireVersion(tx, locked, params.versionId)
    if (version.id === locked.currentVersionId) {
      const isRestarted = await restartInterruptedProcessing(tx, locked, version, 'promote')
      const versions = await readVersions(tx, locked)
      return isRestarted ? versions : markUnchanged(versions)
    }
    if (version.status !== 'ready') throw new ApiError('version_not_ready')
    await changeCurrentVersion(tx, version)
    return readVersions(tx, locked)
  }),
)
