import type { Queryable } from '#db/client/connection.ts'
import { setCurrentVersion, type TrackVersion } from '#db/queries/tracks/track-versions.ts'
import { startProcessing } from './start-processing.ts'

/** Makes a version of a locked track current and starts its processing. */
export const changeCurrentVersion = async (tx: Queryable, version: TrackVersion) => {
  await setCurrentVersion(tx, version)
  await startProcessing(
    tx,
    { trackId: version.trackId, versionId: version.id },
    { trigger: 'promote', isCurrent: true, isPlayable: version.status === 'ready' },
  )
}
