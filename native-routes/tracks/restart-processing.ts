import type { Queryable } from '#db/client/connection.ts'
import { isInfrastructureCode } from '#db/queries/jobs/failure.ts'
import { insertJob } from '#db/queries/jobs/jobs.ts'
import {
  findLatestRunOfVersion,
  insertIngestionRun,
  type RunTrigger,
} from '#db/queries/processing/ingestion-runs.ts'
import { reopenVersion } from '#db/queries/processing/version-processing.ts'
import type { TrackVersion } from '#db/queries/tracks/track-versions.ts'
import type { OwnedTrack } from '#db/queries/tracks/tracks.ts'

/**
 * Runs again only if the last run ended because infrastructure was down for too long, which says nothing about the
 * file. Returns whether a new run starts.
 */
export const restartInterruptedProcessing = async (
  tx: Queryable,
  track: OwnedTrack,
  version: TrackVersion,
  trigger: RunTrigger,
) => {
  const last = await findLatestRunOfVersion(tx, version.id)
  if (last?.status !== 'failed' || !isInfrastructureCode(last.errorCode)) return false
  await reopenVersion(tx, track, version)
  const run = await insertIngestionRun(tx, { trackId: track.id, versionId: version.id, trigger })
  await insertJob(tx, { queue: 'process-version', runId: run.id })
  return true
}
