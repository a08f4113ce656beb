import {
  countPagesOfVisits,
  deleteEngagementEvents,
  deleteVisitsOnPages,
} from '#db/queries/engagement-retention.ts'
import type { JobPorts } from './ports.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
// What one statement does, so that none takes long: of events it may have to delete all that it finds.
const eventsAtOnce = 1000
const ownersAtOnce = 500
const pagesAtOnce = 500
// A report spans 366 days and asks of each whether its visitors came before: within that, and a month for what comes late.
const visitDays = 400

type Ports = Pick<JobPorts, 'db' | 'clock' | 'eventRetentionDays'>

const daysBefore = (now: Date, days: number) => new Date(now.valueOf() - days * dayMs).toISOString()

const forgetEvents = async ({ db, clock, eventRetentionDays }: Ports, signal: AbortSignal) => {
  const limits = {
    before: daysBefore(clock.now(), eventRetentionDays),
    owners: ownersAtOnce,
    events: eventsAtOnce,
  }
  let afterOwner = ''
  while (!signal.aborted) {
    const { deleted, lastOwner } = await db.tx((tx) => deleteEngagementEvents(tx, { ...limits, afterOwner }))
    if (lastOwner === null) return
    if (deleted < eventsAtOnce) afterOwner = lastOwner
  }
}

const forgetVisits = async ({ db, clock }: Ports, signal: AbortSignal) => {
  const day = daysBefore(clock.now(), visitDays).slice(0, 10)
  const pages = await db.tx(countPagesOfVisits)
  for (let from = 0; from < pages && !signal.aborted; from += pagesAtOnce)
    await db.tx((tx) => deleteVisitsOnPages(tx, { day, from, to: from + pagesAtOnce }))
}

/**
 * Deletes what was kept long enough of single events and visitors, once an hour however often it is asked; the counts
 * of days stay for good. Workers that do so at once do no harm to each other.
 */
export const createHourlyEventRetention = () => {
  let nextAt = 0
  return async (ports: Ports, signal: AbortSignal) => {
    const now = ports.clock.now().valueOf()
    if (now < nextAt) return
    nextAt = now + hourMs
    await forgetEvents(ports, signal)
    await forgetVisits(ports, signal)
  }
}
