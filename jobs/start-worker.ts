import { PgBoss } from 'pg-boss'
import { type Job, queueDueRetries } from '#db/queries/jobs.ts'
import { removeAbandonedCopies } from './abandoned-copies.ts'
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
import { sweep } from './sweep.ts'

export interface WorkerOptions {
  readonly databaseUrl: string
  readonly ports: JobPorts
  /** Told of every error that no job's outcome speaks of. */
  readonly onError: (error: unknown) => void
  readonly sweepEveryMs?: number
}

export interface Worker {
  /** Gives jobs that are under way back to their queues and ends. */
  stop(): Promise<void>
}

type JobOf<Q extends Job['queue']> = Extract<Job, { queue: Q }>
type Work = { readonly [Q in Job['queue']]: (job: JobOf<Q>, signal: AbortSignal) => Promise<void> }

const workOf = (ports: JobPorts): Work => ({
  'process-version': ({ runId }, signal) => processVersion(runId, ports, signal),
  'check-asset': ({ assetId }, signal) => checkAsset(assetId, ports, signal),
  'dispatch-analysis': ({ dispatchId }) => dispatchAnalysis(dispatchId, ports),
  'import-stems': ({ dispatchId, stems }, signal) => importStems(dispatchId, stems, ports, signal),
})

// A worker that has died is noticed within these and the queues' own heartbeat of ten seconds.
const refreshSeconds = 3
const superviseSeconds = 5
const pollSeconds = 0.5
const placeRetriesMs = 1000

/** Works the queues off until it is stopped. Several workers share them; each job is given to one. */
export const startWorker = async (options: WorkerOptions): Promise<Worker> => {
  const { databaseUrl, ports, onError, sweepEveryMs = 30_000 } = options
  const stopping = new AbortController()
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'crossfade-jobs',
    max: 6,
    // The queues' tables come with the migrations of everything else.
    migrate: false,
    createSchema: false,
    schedule: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
  })
  boss.on('error', onError)
  await boss.start()
  // The first look after the queues is not left to the timer: whoever asks sees at once that a worker is there.
  await boss.supervise()
  await removeAbandonedCopies()
  await removeAbandonedCgroups()

  const take = <Q extends Job['queue']>(queue: Q, concurrency: number, work: Work[Q]) =>
    boss.work<JobOf<Q>>(
      queue,
      {
        pollingIntervalSeconds: pollSeconds,
        heartbeatRefreshSeconds: refreshSeconds,
        localConcurrency: concurrency,
      },
      async (jobs) => {
        for (const { data, signal } of jobs) await work(data, AbortSignal.any([signal, stopping.signal]))
      },
    )
  const work = workOf(ports)
  await take('process-version', 2, work['process-version'])
  await take('check-asset', 2, work['check-asset'])
  await take('dispatch-analysis', 4, work['dispatch-analysis'])
  await take('import-stems', 1, work['import-stems'])
  await boss.work<Job>('lost-jobs', { pollingIntervalSeconds: pollSeconds }, async (jobs) => {
    for (const { data } of jobs) await handleDeadLetter(data, ports)
  })

  const { signal } = stopping
  let placing: Promise<void> = Promise.resolve()
  const placer = setInterval(() => {
    placing = placing.then(() => ports.db.tx(queueDueRetries)).catch(onError)
  }, placeRetriesMs)
  let sweeping: Promise<void> = Promise.resolve()
  let billing: Promise<void> = Promise.resolve()
  let forgetting: Promise<void> = Promise.resolve()
  const forget = createHourlyEventRetention()
  const sweeper = setInterval(() => {
    sweeping = sweeping.then(() => sweep(ports)).catch(onError)
    billing = billing
      .then(() => reportSales(ports, signal))
      .then(() => reconcileNightly(ports, signal))
      .catch(onError)
    forgetting = forgetting.then(() => forget(ports, signal)).catch(onError)
  }, sweepEveryMs)
  return {
    async stop() {
      clearInterval(sweeper)
      clearInterval(placer)
      stopping.abort()
      await boss.stop({ graceful: true, timeout: 5000 })
      await Promise.all([placing, sweeping, billing, forgetting])
    },
  }
}
