import { PgBoss } from 'pg-boss'
import type { QueueDatabase } from '#db/client/queue-database.ts'
import { grantRetry, type JobAttempt, type QueuedJob, type StoredJob } from '#db/queries/jobs/jobs.ts'
import type { Tracer } from '#shared/tracing/trace.ts'
import { removeAbandonedCgroups } from './analysis/memory-cgroup.ts'
import { handleDeadLetter } from './dead-letter.ts'
import { jobDefinitions } from './job-definitions.ts'
import { runInJobTrace } from './job-trace.ts'
import type { JobPorts } from './ports.ts'
import { prepareRetry } from './prepare-retry.ts'
import { createQueueLoops } from './queue-loops.ts'
import type { NotificationSource } from './queue-notifications.ts'
import { startSweeps } from './start-sweeps.ts'
import { superviseIntervalMs } from './supervision.ts'
import { removeAbandonedFiles } from './temporary-files.ts'
import { watchQueues } from './watch-queues.ts'

export interface JobWorkerOptions {
  /** Close it after the worker has stopped. */
  readonly queues: QueueDatabase
  readonly notifications: NotificationSource
  readonly ports: JobPorts
  readonly onError: (error: unknown) => void
  readonly onJobEnded?: (job: EndedJob) => void
  /** Called when notifications of inserted jobs start or stop arriving. Without them the worker polls. */
  readonly onNotifications?: (areReceived: boolean) => void
  readonly tracer?: Tracer | null
  /** Between two sweeps, sale reports or retention runs. Defaults to 30 seconds. */
  readonly sweepIntervalMs?: number
}

export interface EndedJob extends QueuedJob {
  /** `released`: a shutdown returned the job to its queue for another worker. A `failed` job may be retried. */
  readonly result: 'done' | 'failed' | 'released'
  readonly durationMs: number
  readonly error: unknown
}

export interface JobWorker {
  /** Stops the worker. Jobs still running after `drainMs` (default 0) return to their queues. */
  stop(drainMs?: number): Promise<void>
}

const abortTimeoutMs = 5000
const deadLetterQueue = 'lost-jobs'

export const startJobWorker = async (options: JobWorkerOptions): Promise<JobWorker> => {
  const { ports, queues, notifications, onError, tracer = null } = options
  const { onJobEnded = () => {}, onNotifications = () => {} } = options
  const releasing = new AbortController()
  const boss = new PgBoss({
    db: { executeSql: queues.executeSql },
    // The project's migrations create the queues' tables.
    migrate: false,
    createSchema: false,
    schedule: false,
    // `watchQueues` lets only one worker supervise the queues.
    supervise: false,
    monitorIntervalSeconds: superviseIntervalMs / 1000,
    // Monitoring VACUUM only produces warnings, which nothing reads.
    monitorVacuum: false,
    // Only migrations change the queues.
    queueCacheIntervalSeconds: 3600,
  })
  boss.on('error', onError)
  await boss.start()
  // Without this first call, `/readyz` would report the jobs as down until the first interval is over.
  await boss.supervise()
  await removeAbandonedFiles()
  await removeAbandonedCgroups()

  const runJob = async (attempt: JobAttempt, job: StoredJob, work: () => Promise<void>) => {
    const { queue, id } = attempt
    const startedAt = performance.now()
    const end = (result: EndedJob['result'], error?: unknown) =>
      onJobEnded({ queue, id, result, durationMs: performance.now() - startedAt, error })
    try {
      await work()
      end('done')
    } catch (error) {
      if (releasing.signal.aborted) {
        end('released')
        await ports.db.tx((tx) => grantRetry(tx, attempt))
      } else {
        end('failed', error)
        await prepareRetry(ports.db, job, attempt, error, releasing.signal)
      }
      throw error
    }
  }
  const loops = createQueueLoops(boss)
  for (const { queue, concurrency, run } of jobDefinitions)
    await loops.process<StoredJob>(queue, concurrency, ({ id, retryCount, data, signal }) =>
      runInJobTrace({ queue, id }, data, tracer, () =>
        runJob({ queue, id, retryCount }, data, () =>
          run(data, ports, AbortSignal.any([signal, releasing.signal])),
        ),
      ),
    )
  await loops.process<StoredJob>(deadLetterQueue, 1, ({ id, data }) =>
    runInJobTrace({ queue: data.queue, id }, data, null, () => handleDeadLetter(id, data, ports)),
  )

  const watch = watchQueues({
    source: notifications,
    db: ports.db,
    wake: loops.wake,
    supervise: () => boss.supervise(),
    onError,
    onNotifications,
  })
  const sweeps = startSweeps(ports, watch.isSupervisor, onError, options.sweepIntervalMs)
  return {
    async stop(drainMs = 0) {
      const swept = sweeps.stop()
      const watched = watch.stop()
      loops.stop()
      const drainTimer = setTimeout(() => releasing.abort(), drainMs)
      await boss.stop({ graceful: true, timeout: drainMs + abortTimeoutMs })
      clearTimeout(drainTimer)
      await Promise.all([swept, watched])
    },
  }
}
