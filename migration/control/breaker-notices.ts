import type { Database } from '#db/client/connection.ts'
import { insertJob } from '#db/queries/jobs/jobs.ts'
import { reportOpenBreaker } from '#db/queries/routing/route-observations.ts'
import { createThrottledLog, type Log } from '#gateway/observability/log.ts'
import { repeat } from '#shared/repeat.ts'
import { noticeOfOpenBreaker } from './operator-notices.ts'

interface BreakerNoticesOptions {
  readonly db: Database['db']
  readonly listOpen: () => readonly string[]
  readonly log: Pick<Log, 'error'>
  readonly now?: () => number
  readonly intervalMs?: number
}

const defaultIntervalMs = 5000
const noticeAfterMs = 60_000
// A route's open breaker closes every ten seconds to see whether native still fails. A gap this short does not count.
const maxGapMs = 15_000

const createLastingFilter = () => {
  const known = new Map<string, { readonly openedAt: number; seenAt: number }>()
  return (open: readonly string[], at: number) => {
    for (const [breaker, { seenAt }] of known) if (at - seenAt > maxGapMs) known.delete(breaker)
    for (const breaker of open)
      known.set(breaker, { openedAt: known.get(breaker)?.openedAt ?? at, seenAt: at })
    return open.filter((breaker) => at - (known.get(breaker)?.openedAt ?? at) > noticeAfterMs)
  }
}

/** Tells operators of each breaker that has been open for more than a minute, with one notice for all instances. */
export const startBreakerNotices = ({
  db,
  listOpen,
  log,
  now = () => performance.now(),
  intervalMs = defaultIntervalMs,
}: BreakerNoticesOptions) => {
  const logThrottled = createThrottledLog(log)
  const selectLasting = createLastingFilter()

  const report = (breaker: string) =>
    db.transaction(async (tx) => {
      const { reportedAt, isNew } = await reportOpenBreaker(tx, breaker)
      if (isNew)
        await insertJob(tx, { queue: 'notify-operators', notice: noticeOfOpenBreaker(breaker, reportedAt) })
    })

  const run = async () => {
    try {
      for (const breaker of selectLasting(listOpen(), now())) await report(breaker)
    } catch (error) {
      logThrottled(error, 'failed to report open breakers')
    }
  }

  const { stop } = repeat('breakers', run, intervalMs)
  return { close: stop }
}
