import type { Queryable } from '#db/client/connection.ts'
import { failAnalysis } from '#db/queries/analysis-outcomes.ts'
import { findIngestionRun } from '#db/queries/ingestion-runs.ts'
import type { Job } from '#db/queries/jobs.ts'
import { findMediaAsset, findVersionAudio, updateMediaAsset } from '#db/queries/media-assets.ts'
import { findMediaDispatch } from '#db/queries/media-dispatches.ts'
import { endUnsentInvitation } from '#db/queries/pack-invitations.ts'
import { completeVersion } from './complete-version.ts'
import type { JobPorts } from './ports.ts'

const processingFailed = { code: 'processing_failed', message: 'The file could not be processed.' }
const analysisUnreachable = {
  code: 'analysis_unreachable',
  message: 'The analysis service could not be reached.',
}
const stemsUnavailable = { code: 'stems_unavailable', message: 'The separated stems could not be fetched.' }

const failRun = async (tx: Queryable, runId: string) => {
  const run = await findIngestionRun(tx, runId)
  const audio = run && (await findVersionAudio(tx, run.versionId))
  if (run && audio) await completeVersion(tx, run, audio, { failure: processingFailed }, false)
}

const failAsset = async (tx: Queryable, assetId: string) => {
  const asset = await findMediaAsset(tx, assetId)
  if (asset?.status === 'processing') await updateMediaAsset(tx, asset.id, { status: 'failed' })
}

/**
 * Marks the work of a dead-lettered job as failed, so that no lane stays in progress. A job is dead-lettered when its
 * last attempt failed or when its worker crashed on every attempt.
 */
export const handleDeadLetter = (job: Job, { db, log }: Pick<JobPorts, 'db' | 'log'>) => {
  log.warn({ queue: job.queue }, 'job moved to dead-letter queue')
  return db.tx(async (tx) => {
    switch (job.queue) {
      case 'process-version':
        return failRun(tx, job.runId)
      case 'check-asset':
        return failAsset(tx, job.assetId)
      case 'dispatch-analysis':
        return failAnalysis(tx, await findMediaDispatch(tx, job.dispatchId), analysisUnreachable)
      case 'import-stems':
        return failAnalysis(tx, await findMediaDispatch(tx, job.dispatchId), stemsUnavailable)
      case 'send-invitation':
        return endUnsentInvitation(tx, job.invitationId, 'failed')
    }
  })
}
