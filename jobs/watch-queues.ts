import { checkQueues } from '#db/queries/jobs/jobs.ts'
import type { JobPorts } from './ports.ts'
import { type NotificationSource, openQueueNotifications } from './queue-notifications.ts'
import { createSupervision } from './supervision.ts'

interface WatchOptions {
  readonly source: NotificationSource
  readonly db: JobPorts['db']
  readonly wake: (queue: string) => void
  readonly supervise: () => Promise<void>
  readonly onError: (error: unknown) => void
  readonly onNotifications: (areReceived: boolean) => void
}

// Used while notifications do not arrive. Random, so workers started together do not poll together.
const pollIntervalMs = 400
const pollSpreadMs = 100
const retryIntervalMs = 1000
const longestIntervalMs = 15_000
const minIntervalMs = 250
// Jobs that are due later are retries. They are not remembered, because every check finds out when the next retry is
// due.
const longestRememberedS = 60

/**
 * Wakes this worker when jobs are due. It learns of them from notifications and from checks, each of which is one
 * statement for all queues. A check runs when a retry is due, for supervision, and twice a second while notifications
 * do not arrive.
 */
export const watchQueues = (options: WatchOptions) => {
  const { source, db, wake, supervise, onError, onNotifications } = options
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let timerAt = Number.POSITIVE_INFINITY
  let checkedAt = Number.NEGATIVE_INFINITY
  let checking: Promise<void> = Promise.resolve()
  const dueTimes = new Set<number>()

  const schedule = (wantedAt: number) => {
    const at = Math.max(wantedAt, checkedAt + minIntervalMs)
    if (isStopped || at >= timerAt) return
    clearTimeout(timer)
    timerAt = at
    timer = setTimeout(
      () => {
        timerAt = Number.POSITIVE_INFINITY
        checking = checking.then(check)
      },
      Math.max(0, at - performance.now()),
    )
  }
  const scheduleDelayed = (dueInS: number) => {
    const at = performance.now() + dueInS * 1000
    if (dueInS <= longestRememberedS) dueTimes.add(Math.ceil(at / minIntervalMs) * minIntervalMs)
    schedule(at)
  }
  // Scheduling an earlier check drops the timer of a later one, so the remembered ones are scheduled again.
  const scheduleRemembered = (now: number) => {
    for (const at of dueTimes)
      if (at <= now) dueTimes.delete(at)
      else schedule(at)
  }
  const supervision = createSupervision({ supervise, onError, onScheduled: schedule })
  const notifications = openQueueNotifications(source, {
    onJob: (queue, dueInS) => {
      if (dueInS === 0) wake(queue)
      else scheduleDelayed(dueInS)
    },
    onGap: () => schedule(performance.now()),
    onChange: (areReceived) => {
      onNotifications(areReceived)
      schedule(performance.now())
    },
  })

  const check = async () => {
    if (isStopped) return
    const now = performance.now()
    checkedAt = now
    try {
      const probe = notifications.nextProbe()
      const { due, nextRetryS, supervisedS } = await db.tx((tx) => checkQueues(tx, probe))
      for (const queue of due) wake(queue)
      supervision.update(supervisedS)
      if (nextRetryS !== null) schedule(now + nextRetryS * 1000)
      if (notifications.areReceived()) schedule(Math.min(supervision.nextAt(), now + longestIntervalMs))
      else schedule(now + pollIntervalMs + Math.random() * pollSpreadMs)
    } catch (error) {
      onError(error)
      schedule(now + retryIntervalMs)
    }
    scheduleRemembered(now)
  }
  schedule(performance.now())

  return {
    isSupervisor: supervision.isSupervisor,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await notifications.close()
      await checking
      await supervision.finish()
    },
  }
}
