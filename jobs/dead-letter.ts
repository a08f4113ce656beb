import type { Queryable } from '#db/client/connection.ts'
import { failAnalysis } from '#db/queries/analysis-outcomes.ts'
import type { Failure } from '#db/queries/failure.ts'
import { infrastructureFailure } from '#db/queries/failure.ts'
import { findIngestionRun } from '#db/queries/ingestion-runs.ts'
import type { StoredJob } from '#db/queries/jobs.ts'
import { findMediaAsset, findVersionAudio, updateMediaAsset } from '#db/queries/media-assets.ts'
import { findMediaDispatch } from '#db/queries/media-dispatches.ts'
import { endUnsentInvitation } from '#db/queries/pack-invitations.ts'
import { completeVersion } from './complete-version.ts'
import type { JobPorts } from './ports.ts'

const processingFailed = { code: 'processing_failed', message: 'The file could not be processed.' }

// What the job has waited for in vain; else, what can be said without knowing why it has failed.
const describeEnd = ({ queue, outage }: StoredJob): Failure => {
  if (outage) return infrastructureFailure(outage.code)
  if (queue === 'dispatch-analysis') return infrastructureFailure('analysis_unreachable')
  return queue === 'import-stems' ? infrastructureFailure('stems_unavailable') : processingFailed
}

const failRun = async (tx: Queryable, runId: string, failure: Failure) => {
  const run = await findIngestionRun(tx, runId)
  const audio = run && (await findVersionAudio(tx, run.versionId))
  if (run && audio) await completeVersion(tx, run, audio, { failure }, false)
}

const failAsset = async (tx: Queryable, assetId: string) => {
  const asset = await findMediaAsset(tx, assetId)
  if (asset?.status === 'processing') await updateMediaAsset(tx, asset.id, { status: 'failed' })
}

/**
 * Marks the work of a dead-lettered job as failed, so that no lane stays in progress. A job is dead-lettered when its
 * last attempt failed, when its worker crashed on every attempt, or after a day without the infrastructure that it needs.
 */
export const handleDeadLetter = (job: StoredJob, { db, log }: Pick<JobPorts, 'db' | 'log'>) => {
  const failure = describeEnd(job)
  log.warn({ queue: job.queue, code: failure.code }, 'job moved to dead-letter queue')
  return db.tx(async (tx) => {
    switch (job.queue) {
      case 'process-version':
        return failRun(tx, job.runId, failure)
      case 'check-asset':
        return failAsset(tx, job.assetId)
      case 'dispatch-analysis':
      case 'import-stems':
        return failAnalysis(tx, await findMediaDispatch(tx, job.dispatchId), failure)
      case 'send-invitation':
        return endUnsentInvitation(tx, job.invitationId, 'failed')
    }
  })
}
