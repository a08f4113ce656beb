import type { Queryable } from '#db/client/connection.ts'
import { failAnalysis } from '#db/queries/analysis-outcomes.ts'
import { findIngestionRun } from '#db/queries/ingestion-runs.ts'
import type { Job } from '#db/queries/jobs.ts'
import { findMediaAsset, findVersionAudio, updateMediaAsset } from '#db/queries/media-assets.ts'
import { findMediaDispatch } from '#db/queries/media-dispatches.ts'
import { completeVersion } from './complete-version.ts'
import type { JobPorts } from './ports.ts'

const notProcessed = { code: 'processing_failed', message: 'The file could not be processed.' }
const notReached = { code: 'analysis_unreachable', message: 'The analysis service could not be reached.' }
const notFetched = { code: 'stems_unavailable', message: 'The separated stems could not be fetched.' }

const failRun = async (tx: Queryable, runId: string) => {
  const run = await findIngestionRun(tx, runId)
  const audio = run && (await findVersionAudio(tx, run.versionId))
  if (run && audio) await completeVersion(tx, run, audio, { failure: notProcessed }, false)
}

const failAsset = async (tx: Queryable, assetId: string) => {
  const asset = await findMediaAsset(tx, assetId)
  if (asset?.status === 'processing') await updateMediaAsset(tx, asset.id, { status: 'failed' })
}

/** Ends what a job was for that failed to the last, or whose workers died each time: nothing waits for ever. */
export const handleDeadLetter = (job: Job, { db, log }: JobPorts) => {
  log.warn({ queue: job.queue }, 'a job was given up')
  return db.tx(async (tx) => {
    switch (job.queue) {
      case 'process-version':
        return failRun(tx, job.runId)
      case 'check-asset':
        return failAsset(tx, job.assetId)
      case 'dispatch-analysis':
        return failAnalysis(tx, await findMediaDispatch(tx, job.dispatchId), notReached)
      case 'import-stems':
        return failAnalysis(tx, await findMediaDispatch(tx, job.dispatchId), notFetched)
    }
  })
}
