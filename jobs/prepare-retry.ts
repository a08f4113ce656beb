import { setTimeout as sleep } from 'node:timers/promises'
import { infrastructureFailure } from '#db/queries/jobs/failure.ts'
import { endOutage, type JobAttempt, type StoredJob, waitForInfrastructure } from '#db/queries/jobs/jobs.ts'
import { findInfrastructureFailure } from './find-infrastructure-failure.ts'
import { findJobDefinition } from './job-definitions.ts'
import type { JobPorts } from './ports.ts'
import { RetryLaterError } from './retry-later-error.ts'

// How long to try to record a failure while the database is down. After that, the job fails because its heartbeat is
// missing, which uses up a retry.
const recordTimeoutMs = 60_000
const recordIntervalMs = 500

const recordOnce = (db: JobPorts['db'], job: StoredJob, attempt: JobAttempt, error: unknown) =>
  db.tx(async (tx) => {
    const code = findInfrastructureFailure(error)
    if (code === null) return job.outage ? endOutage(tx, attempt) : undefined
    const retryAfterS = error instanceof RetryLaterError ? (error.retryAfterS ?? 0) : 0
    const isRetried = await waitForInfrastructure(tx, attempt, code, retryAfterS)
    if (isRetried) await findJobDefinition(job.queue)?.postpone?.(tx, job, infrastructureFailure(code))
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
