import {
  countPagesOfVisits,
  deleteEngagementEvents,
  deleteVisitsOnPages,
} from '#db/queries/analytics/engagement-retention.ts'
import { deleteEndedAnalysisThreads } from '#db/queries/catalog-analysis/analysis-threads.ts'
import { deleteUsageBefore } from '#db/queries/catalog-analysis/analysis-usage.ts'
import { dayMs, hourMs } from '#shared/durations.ts'
import type { JobPorts } from './ports.ts'

// These limits keep each statement short.
const eventsPerStatement = 1000
const ownersPerStatement = 500
const pagesPerStatement = 500
// To count unique visitors, a report looks for visits in up to 366 days. The extra month is for late events.
const visitRetentionDays = 400

type EventRetentionPorts = Pick<JobPorts, 'db' | 'clock' | 'eventRetentionDays'>

const daysBefore = (now: Date, days: number) => new Date(now.valueOf() - days * dayMs).toISOString()

const deleteOldEvents = async (
  { db, clock, eventRetentionDays }: EventRetentionPorts,
  signal: AbortSignal,
) => {
  const limits = {
    before: daysBefore(clock.now(), eventRetentionDays),
    owners: ownersPerStatement,
    events: eventsPerStatement,
  }
  let afterOwner = ''
  while (!signal.aborted) {
    const { deleted, lastOwner } = await db.tx((tx) => deleteEngagementEvents(tx, { ...limits, afterOwner }))
    if (lastOwner === null) return
    if (deleted < eventsPerStatement) afterOwner = lastOwner
  }
}

const deleteOldVisits = async ({ db }: EventRetentionPorts, day: string, signal: AbortSignal) => {
  const pages = await db.tx(countPagesOfVisits)
  for (let from = 0; from < pages && !signal.aborted; from += pagesPerStatement)
    await db.tx((tx) => deleteVisitsOnPages(tx, { day, from, to: from + pagesPerStatement }))
}

/**
 * Deletes at most once an hour, however often it is called, and expired visits only once a day, because that reads the
 * whole table. Daily counts stay. Several workers may run it at the same time.
 */
export const createHourlyEventRetention = () => {
  let nextRunAt = 0
  let visitsDeletedBefore = ''
  return async (ports: EventRetentionPorts, signal: AbortSignal) => {
    const now = ports.clock.now().valueOf()
    if (now < nextRunAt) return
    nextRunAt = now + hourMs
    await deleteOldEvents(ports, signal)
    const day = daysBefore(ports.clock.now(), visitRetentionDays).slice(0, 10)
    if (day === visitsDeletedBefore) return
    await deleteOldVisits(ports, day, signal)
    if (!signal.aborted) visitsDeletedBefore = day
  }
}

const threadsPerStatement = 500
// The previous day's counts are kept too, because an instance whose clock is slow may still add to them.
const usageDays = 2

type ThreadRetentionPorts = Pick<JobPorts, 'db' | 'clock' | 'threadRetentionDays'>

/** Deletes at most once an hour, however often it is called. Several workers may run it at the same time. */
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
