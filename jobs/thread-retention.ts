import { deleteEndedAnalysisThreads } from '#db/queries/catalog-analysis/analysis-threads.ts'
import { deleteUsageBefore } from '#db/queries/catalog-analysis/analysis-usage.ts'
import { dayMs, hourMs } from '#shared/durations.ts'
import type { JobPorts } from './ports.ts'

const threadsPerStatement = 500
// The previous day's counts are kept too, because an instance whose clock is slow may still add to them.
const usageDays = 2

type ThreadRetentionPorts = Pick<JobPorts, 'db' | 'clock' | 'threadRetentionDays'>

const daysBefore = (now: Date, days: number) => new Date(now.valueOf() - days * dayMs).toISOString()

/**
 * Returns a function that deletes ended analysis threads and the usage counts of earlier days. It does so at most once
 * an hour, however often it is called. Several workers may run it at the same time.
 */
export const createHourlyThreadRetention = () => {
  let nextRunAt = 0
  return async ({ db, clock, threadRetentionDays }: ThreadRetentionPorts, signal: AbortSignal) => {
    const now = clock.now()
    if (now.valueOf() < nextRunAt) return
    nextRunAt = now.valueOf() + hourMs
    const endedAt = daysBefore(now, threadRetentionDays)
    let deleted = threadsPerStatement
    while (deleted === threadsPerStatement && !signal.aborted)
      deleted = await db.tx((tx) => deleteEndedAnalysisThreads(tx, endedAt, threadsPerStatement))
    await db.tx((tx) => deleteUsageBefore(tx, daysBefore(now, usageDays).slice(0, 10)))
  }
}
