import {
  countPagesOfVisits,
  deleteEngagementEvents,
  deleteVisitsOnPages,
} from '#db/queries/analytics/engagement-retention.ts'
import { dayMs, hourMs } from '#shared/durations.ts'
import type { JobPorts } from './ports.ts'

// These limits keep each statement short.
const eventsPerStatement = 1000
const ownersPerStatement = 500
const pagesPerStatement = 500
// To count unique visitors, a report looks for visits in up to 366 days. The extra month is for late events.
const visitRetentionDays = 400

type RetentionPorts = Pick<JobPorts, 'db' | 'clock' | 'eventRetentionDays'>

const daysBefore = (now: Date, days: number) => new Date(now.valueOf() - days * dayMs).toISOString()

const deleteOldEvents = async ({ db, clock, eventRetentionDays }: RetentionPorts, signal: AbortSignal) => {
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

const deleteOldVisits = async ({ db }: RetentionPorts, day: string, signal: AbortSignal) => {
  const pages = await db.tx(countPagesOfVisits)
  for (let from = 0; from < pages && !signal.aborted; from += pagesPerStatement)
    await db.tx((tx) => deleteVisitsOnPages(tx, { day, from, to: from + pagesPerStatement }))
}

/**
 * Returns a function that deletes expired engagement events at most once an hour, however often it is called. It
 * deletes expired visits only once a day, because that reads the whole table. Daily counts stay. Several workers may
 * run it at the same time.
 */
export const createHourlyEventRetention = () => {
  let nextRunAt = 0
  let visitsDeletedBefore = ''
  return async (ports: RetentionPorts, signal: AbortSignal) => {
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
