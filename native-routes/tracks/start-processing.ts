import { Lane } from '#contracts/tracks.processing.ts'
import type { Queryable } from '#db/client/connection.ts'
import { insertIngestionRun, type RunTrigger } from '#db/queries/ingestion-runs.ts'
import { insertJob } from '#db/queries/jobs.ts'
import { failDispatchesOfOtherVersions } from '#db/queries/media-dispatches.ts'
import { updateLanes } from '#db/queries/processing-lanes.ts'
import { queueStages } from '#db/queries/processing-stages.ts'
import { updateProcessingState } from '#db/queries/tracks.ts'

interface VersionOfTrack {
  readonly trackId: string
  readonly versionId: string
}

interface Beginning {
  readonly trigger: RunTrigger
  readonly isCurrent: boolean
  /** Whether its audio has been found good before. */
  readonly isPlayable: boolean
}

const superseded = { code: 'superseded', message: 'Another version has become the current one.' }

/**
 * Has a version of a locked track processed after this transaction. A track's lanes speak of its current version, so
 * they start anew only with that; audio that is new to them cannot be played before it has been checked.
 */
export const startProcessing = async (
  tx: Queryable,
  version: VersionOfTrack,
  { trigger, isCurrent, isPlayable }: Beginning,
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
    await failDispatchesOfOtherVersions(tx, version.trackId, version.versionId, superseded)
  }
  await insertJob(tx, { queue: 'process-version', runId: run.id })
}
