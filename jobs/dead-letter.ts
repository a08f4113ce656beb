import type { Queryable } from '#db/client/connection.ts'
import { idOfEvent } from '#db/new-id.ts'
import { type Failure, infrastructureFailure } from '#db/queries/jobs/failure.ts'
import { insertJob, type StoredJob } from '#db/queries/jobs/jobs.ts'
import { findMediaAsset, findVersionAudio, updateMediaAsset } from '#db/queries/media/media-assets.ts'
import { findMediaDispatch } from '#db/queries/media/media-dispatches.ts'
import { endUnsentInvitation } from '#db/queries/packs/pack-invitations.ts'
import { failAnalysis } from '#db/queries/processing/analysis-outcomes.ts'
import { findIngestionRun } from '#db/queries/processing/ingestion-runs.ts'
import { completeVersion } from './complete-version.ts'
import type { JobPorts } from './ports.ts'

const processingFailed = { code: 'processing_failed', message: 'The file could not be processed.' }

// Returns why the job failed: its outage or, if there is none, the usual reason for its queue.
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

const markAsFailed = async (tx: Queryable, job: StoredJob, failure: Failure) => {
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
    case 'notify-operators':
      return
  }
}

/**
 * A job is dead-lettered when its last attempt failed, when its worker crashed on every attempt, or after a day without
 * the infrastructure that it needs. `id` identifies the dead letter. If a worker crashes, another worker may handle the
 * same dead letter again.
 */
export const handleDeadLetter = (
  id: string,
  job: StoredJob,
  { db, log, clock }: Pick<JobPorts, 'db' | 'log' | 'clock'>,
) => {
  const failure = describeEnd(job)
  log.warn({ queue: job.queue, code: failure.code }, 'job moved to dead-letter queue')
  return db.tx(async (tx) => {
    await markAsFailed(tx, job, failure)
    // If a notice fails, a notice about that would not arrive either.
    if (job.queue === 'notify-operators') return
    const notice = {
      id: idOfEvent(`dead letter ${id}`),
      type: 'job.dead_lettered',
      at: clock.now().toISOString(),
      summary: `A job in ${job.queue} has failed permanently: ${failure.message}`,
      details: { queue: job.queue, code: failure.code },
    } as const
    await insertJob(tx, { queue: 'notify-operators', notice })
  })
}
