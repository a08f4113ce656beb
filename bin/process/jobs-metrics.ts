import type { Database } from '#db/client/connection.ts'
import { countJobs } from '#db/queries/jobs/jobs.ts'
import type { HistogramSample, MetricFamily } from '#gateway/observability/metric-family.ts'
import type { EndedJob } from '#jobs/start-job-worker.ts'
import { BucketHistogram } from '#shared/histogram.ts'
import { shareRecent } from '#shared/share-recent.ts'
import { withTimeout } from '#shared/with-timeout.ts'

const queryTimeoutMs = 1000
// Upper bounds in seconds. An analysis may take minutes.
const durationBounds = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900]

const states = ['waiting', 'retrying', 'active', 'done', 'failed'] as const

/**
 * Creates the metrics for all jobs of the installation. They show the counts that a worker stored last, and are missing
 * while the database is down.
 */
export const createQueueFamilies = (database: Pick<Database, 'db'>): readonly MetricFamily[] => {
  const readCounts = shareRecent(() =>
    withTimeout(
      queryTimeoutMs,
      countJobs(database.db).catch(() => []),
      () => [],
    ),
  )
  return [
    {
      name: 'crossfade_jobs',
      help: 'Jobs by queue and state: waiting for a worker, retrying (waiting for the next attempt), active, done, or failed (dead-lettered until redriven).',
      type: 'gauge',
      labels: ['queue', 'state'],
      collect: async () =>
        (await readCounts()).flatMap((counts) =>
          states.map((state) => ({ labels: { queue: counts.queue, state }, value: counts[state] })),
        ),
    },
    {
      name: 'crossfade_jobs_oldest_seconds',
      help: 'How long the oldest waiting job has been due; 0 if no job is waiting.',
      type: 'gauge',
      labels: ['queue'],
      collect: async () =>
        (await readCounts()).map(({ queue, oldestS }) => ({ labels: { queue }, value: oldestS })),
    },
  ]
}

export const createJobCounts = () => {
  const histograms = new Map<string, HistogramSample & { readonly histogram: BucketHistogram }>()
  const families: readonly MetricFamily[] = [
    {
      name: 'crossfade_job_duration_seconds',
      help: "How long this worker's jobs took, by outcome.",
      type: 'histogram',
      labels: ['queue', 'result'],
      collect: () => [...histograms.values()],
    },
  ]
  return {
    count({ queue, result, durationMs }: EndedJob) {
      const id = `${queue} ${result}`
      const known = histograms.get(id)
      const { histogram } = known ?? { histogram: new BucketHistogram(durationBounds) }
      if (!known) histograms.set(id, { labels: { queue, result }, histogram })
      histogram.observe(durationMs / 1000)
    },
    families,
  }
}
