import { Lane } from '#contracts/tracks.processing.ts'
import type { Queryable } from '#db/client/connection.ts'
import { isInfrastructureCode } from '#db/queries/jobs/failure.ts'
import { insertJob } from '#db/queries/jobs/jobs.ts'
import { supersedeDispatchesOfOtherVersions } from '#db/queries/media/media-dispatches.ts'
import {
  findLatestRunOfVersion,
  insertIngestionRun,
  type RunTrigger,
} from '#db/queries/processing/ingestion-runs.ts'
import { queueStages, updateLanes } from '#db/queries/processing/processing-stages.ts'
import { reopenVersion } from '#db/queries/processing/version-processing.ts'
import { setCurrentVersion, type TrackVersion } from '#db/queries/tracks/track-versions.ts'
import { type OwnedTrack, updateProcessingState } from '#db/queries/tracks/tracks.ts'

interface VersionOfTrack {
  readonly trackId: string
  readonly versionId: string
}

interface ProcessingStart {
  readonly trigger: RunTrigger
  readonly isCurrent: boolean
  readonly isPlayable: boolean
}

/**
 * The processing starts once this transaction has committed. Resets the track's lanes only if the version is current,
 * because they describe the current version. New audio cannot be played until it has passed the checks.
 */
export const startProcessing = async (
  tx: Queryable,
  version: VersionOfTrack,
  { trigger, isCurrent, isPlayable }: ProcessingStart,
) => {
  const run = await insertIngestionRun(tx, { ...version, trigger })
  await queueStages(tx, version, Lane.options)
  if (isCurrent) {
    await updateLanes(
      tx,
      version.trackId,
      Lane.options.filter((lane) => lane !== 'playback' || !isPlayable),
      'processing',
    )
    if (isPlayable) await updateLanes(tx, version.trackId, ['playback'], 'ready')
    await updateProcessingState(tx, version.trackId, { processingState: isPlayable ? 'ready' : 'processing' })
    await supersedeDispatchesOfOtherVersions(tx, version.trackId, version.versionId)
  }
  await insertJob(tx, { queue: 'process-version', runId: run.id })
}

export const changeCurrentVersion = async (tx: Queryable, version: TrackVersion) => {
  await setCurrentVersion(tx, version)
  await startProcessing(
    tx,
    { trackId: version.trackId, versionId: version.id },
    { trigger: 'promote', isCurrent: true, isPlayable: version.status === 'ready' },
  )
}

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
