import { PgBoss } from 'pg-boss'
import type { QueueDatabase } from '#db/client/queue-database.ts'
import { delayNextRetry, type Job, type QueuedJob, queueDueRetries } from '#db/queries/jobs.ts'
import { removeAbandonedLocalCopies } from './abandoned-copies.ts'
import { removeAbandonedCgroups } from './analysis/memory-cgroup.ts'
import { reconcileNightly } from './billing/reconcile.ts'
import { reportSales } from './billing/report-sales.ts'
import { checkAsset } from './check-asset.ts'
import { handleDeadLetter } from './dead-letter.ts'
import { dispatchAnalysis } from './dispatch-analysis.ts'
import { createHourlyEventRetention } from './event-retention.ts'
import { importStems } from './import-stems.ts'
import type { JobPorts } from './ports.ts'
import { processVersion } from './process-version.ts'
import { RetryLaterError } from './retry-later-error.ts'
import { sendInvitation } from './send-invitation.ts'
import { sweep } from './sweep.ts'

export interface SweepOptions {
  /** Interval of sweeps, sale reports and retention runs. Defaults to 30 seconds. */
  readonly sweepIntervalMs?: number
}

export interface JobWorkerOptions extends SweepOptions {
  /** The database of the queues, which the caller closes after the worker has stopped. */
  readonly queues: QueueDatabase
  readonly ports: JobPorts
  /** Called with every error that is not recorded as the failure of a job. */
  readonly onError: (error: unknown) => void
  readonly onJobEnded?: (job: EndedJob) => void
}

/** A job that this worker has run. */
export interface EndedJob extends QueuedJob {
  /** `released` by a shutdown: another worker runs it. A job that has failed may be retried. */
  readonly result: 'done' | 'failed' | 'released'
  readonly durationMs: number
  /** Why it has failed; undefined otherwise. */
  readonly error: unknown
}

export interface JobWorker {
  /** Stops the worker. Jobs that are still running after `drainMs`, by default 0, return to their queues. */
  stop(drainMs?: number): Promise<void>
}

type JobOf<Q extends Job['queue']> = Extract<Job, { queue: Q }>
type JobHandlers = { readonly [Q in Job['queue']]: (job: JobOf<Q>, signal: AbortSignal) => Promise<void> }

const createJobHandlers = (ports: JobPorts): JobHandlers => ({
  'process-version': ({ runId }, signal) => processVersion(runId, ports, signal),
  'check-asset': ({ assetId }, signal) => checkAsset(assetId, ports, signal),
  'dispatch-analysis': ({ dispatchId }) => dispatchAnalysis(dispatchId, ports),
  'import-stems': ({ dispatchId, stems }, signal) => importStems(dispatchId, stems, ports, signal),
  'send-invitation': (job, signal) => sendInvitation(job, ports, signal),
})

// With the heartbeat timeout of the queues (ten seconds), these intervals bound how long a crashed worker goes
// unnoticed.
const heartbeatIntervalS = 3
const superviseIntervalS = 5
const pollIntervalS = 0.5
const retryIntervalMs = 1000
// How long released jobs may take to end.
const abortTimeoutMs = 5000
const deadLetterQueue = 'lost-jobs'

/** Processes the job queues until it is stopped. Several workers may share the queues; each job goes to one of them. */
export const startJobWorker = async (options: JobWorkerOptions): Promise<JobWorker> => {
  const { ports, queues, onError, onJobEnded = () => {} } = options
  const releasing = new AbortController()
  const stopping = new AbortController()
  const boss = new PgBoss({
    db: { executeSql: queues.executeSql },
    // The migrations of the project create the tables of the queues.
    migrate: false,
    createSchema: false,
    schedule: false,
    superviseIntervalSeconds: superviseIntervalS,
    monitorIntervalSeconds: superviseIntervalS,
  })
  boss.on('error', onError)
  await boss.start()
  // Without this first call `/readyz` would report the jobs as down until the timer fires.
  await boss.supervise()
  await removeAbandonedLocalCopies()
  await removeAbandonedCgroups()

  const delayAndRethrow = async (job: QueuedJob, error: unknown): Promise<never> => {
    const delayS = error instanceof RetryLaterError ? error.retryAfterS : null
    if (delayS !== null) await ports.db.tx((tx) => delayNextRetry(tx, job, delayS))
    throw error
  }
  const runJob = async (job: QueuedJob, work: () => Promise<void>) => {
    const startedAt = performance.now()
    const end = (result: EndedJob['result'], error?: unknown) =>
      onJobEnded({ ...job, result, durationMs: performance.now() - startedAt, error })
    try {
      await work()
      end('done')
    } catch (error) {
      if (releasing.signal.aborted) end('released')
      else end('failed', error)
      await delayAndRethrow(job, error)
    }
  }
  const processQueue = <Q extends Job['queue']>(queue: Q, concurrency: number, handle: JobHandlers[Q]) =>
    boss.work<JobOf<Q>>(
      queue,
      {
        pollingIntervalSeconds: pollIntervalS,
        heartbeatRefreshSeconds: heartbeatIntervalS,
        localConcurrency: concurrency,
      },
      async (jobs) => {
        for (const { id, data, signal } of jobs)
          await runJob({ queue, id }, () => handle(data, AbortSignal.any([signal, releasing.signal])))
      },
    )
  const handlers = createJobHandlers(ports)
  await processQueue('process-version', 2, handlers['process-version'])
  await processQueue('check-asset', 2, handlers['check-asset'])
  await processQueue('dispatch-analysis', 4, handlers['dispatch-analysis'])
  await processQueue('import-stems', 1, handlers['import-stems'])
  await processQueue('send-invitation', 2, handlers['send-invitation'])
  await boss.work<Job>(deadLetterQueue, { pollingIntervalSeconds: pollIntervalS }, async (jobs) => {
    for (const { data } of jobs) await handleDeadLetter(data, ports)
  })

  const { signal } = stopping
  let retries: Promise<void> = Promise.resolve()
  const retryTimer = setInterval(() => {
    retries = retries.then(() => ports.db.tx(queueDueRetries)).catch(onError)
  }, retryIntervalMs)
  let sweeps: Promise<void> = Promise.resolve()
  let billing: Promise<void> = Promise.resolve()
  let retention: Promise<void> = Promise.resolve()
  const deleteExpiredEvents = createHourlyEventRetention()
  const sweepTimer = setInterval(() => {
    sweeps = sweeps.then(() => sweep(ports)).catch(onError)
    billing = billing
      .then(() => reportSales(ports, signal))
      .then(() => reconcileNightly(ports, signal))
      .catch(onError)
    retention = retention.then(() => deleteExpiredEvents(ports, signal)).catch(onError)
  }, options.sweepIntervalMs ?? 30_000)
  return {
    async stop(drainMs = 0) {
      clearInterval(sweepTimer)
      clearInterval(retryTimer)
      stopping.abort()
      const drainTimer = setTimeout(() => releasing.abort(), drainMs)
      await boss.stop({ graceful: true, timeout: drainMs + abortTimeoutMs })
      clearTimeout(drainTimer)
      await Promise.all([retries, sweeps, billing, retention])
    },
  }
}
