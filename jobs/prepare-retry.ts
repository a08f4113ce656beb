import { setTimeout as sleep } from 'node:timers/promises'
import type { Queryable } from '#db/client/connection.ts'
import { type Failure, infrastructureFailure } from '#db/queries/jobs/failure.ts'
import { endOutage, type JobAttempt, type StoredJob, waitForInfrastructure } from '#db/queries/jobs/jobs.ts'
import { findMediaDispatch } from '#db/queries/media/media-dispatches.ts'
import { listUnfinishedLanes } from '#db/queries/processing/analysis-outcomes.ts'
import { lockIngestionRun, queueLockedRun } from '#db/queries/processing/ingestion-runs.ts'
import { postponeStages } from '#db/queries/processing/processing-stages.ts'
import { findInfrastructureFailure } from './find-infrastructure-failure.ts'
import type { JobPorts } from './ports.ts'
import { localLanes } from './process-version.ts'
import { RetryLaterError } from './retry-later-error.ts'

// How long to try to record a failure while the database is down. After that, the job fails because its heartbeat is
// missing, which uses up a retry.
const recordTimeoutMs = 60_000
const recordIntervalMs = 500

const postponeRun = async (tx: Queryable, runId: string, failure: Failure) => {
  const run = await lockIngestionRun(tx, runId)
  if (run?.status !== 'running') return
  await queueLockedRun(tx, run.id)
  await postponeStages(tx, run.versionId, localLanes, failure)
}

const postponeAnalysis = async (tx: Queryable, dispatchId: string, failure: Failure) => {
  const dispatch = await findMediaDispatch(tx, dispatchId)
  if (!dispatch) return
  const lanes = await listUnfinishedLanes(tx, dispatch.versionId)
  await postponeStages(tx, dispatch.versionId, lanes, failure)
}

const postponeWork = async (tx: Queryable, job: StoredJob, failure: Failure) => {
  switch (job.queue) {
    case 'process-version':
      return postponeRun(tx, job.runId, failure)
    case 'dispatch-analysis':
    case 'import-stems':
      return postponeAnalysis(tx, job.dispatchId, failure)
    // Assets, invitations and notices have no field that says why they are not ready.
    case 'check-asset':
    case 'send-invitation':
    case 'notify-operators':
      return
  }
}

const recordOnce = (db: JobPorts['db'], job: StoredJob, attempt: JobAttempt, error: unknown) =>
  db.tx(async (tx) => {
    const code = findInfrastructureFailure(error)
    if (code === null) return job.outage ? endOutage(tx, attempt) : undefined
    const retryAfterS = error instanceof RetryLaterError ? (error.retryAfterS ?? 0) : 0
    const isRetried = await waitForInfrastructure(tx, attempt, code, retryAfterS)
    if (isRetried) await postponeWork(tx, job, infrastructureFailure(code))
  })

export const prepareRetry = async (
  db: JobPorts['db'],
  job: StoredJob,
  attempt: JobAttempt,
  error: unknown,
  stopping: AbortSignal,
) => {
  for (const deadline = performance.now() + recordTimeoutMs; ; ) {
    try {
      return await recordOnce(db, job, attempt, error)
    } catch (failure) {
      const isLast = stopping.aborted || performance.now() > deadline
      if (isLast || findInfrastructureFailure(failure) === null) throw failure
      await sleep(recordIntervalMs)
    }
  }
}
