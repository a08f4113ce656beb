import type { Database } from '#db/client/connection.ts'
import { countJobs } from '#db/queries/jobs.ts'
import { withTimeout } from '#shared/with-timeout.ts'

const queryTimeoutMs = 1000
const startedAtS = Date.now() / 1000 - process.uptime()

const formatGauge = (name: string, samples: readonly string[]) =>
  samples.length === 0 ? [] : [`# TYPE ${name} gauge`, ...samples.map((sample) => `${name}${sample}`)]

/**
 * Formats the metrics of the jobs process in the text format of Prometheus. The numbers of jobs are those of the whole
 * installation, as a worker last counted them; they are missing while the database is unavailable.
 */
export const formatJobsMetrics = async (database: Pick<Database, 'db'>): Promise<string> => {
  const counting = countJobs(database.db).catch(() => [])
  const queues = await withTimeout(queryTimeoutMs, counting, () => [])
  const jobs = queues.flatMap(({ queue, waiting, active }) => [
    `{queue="${queue}",state="waiting"} ${waiting}`,
    `{queue="${queue}",state="active"} ${active}`,
  ])
  const lines = [
    ...formatGauge('process_start_time_seconds', [` ${startedAtS.toFixed(3)}`]),
    ...formatGauge('process_resident_memory_bytes', [` ${process.memoryUsage.rss()}`]),
    ...formatGauge('crossfade_jobs', jobs),
  ]
  return `${lines.join('\n')}\n`
}
