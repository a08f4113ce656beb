import { openSubscription } from '#db/client/listen.ts'
import { routingChannel } from '#db/queries/routing/route-states.ts'
import { createThrottledLog, type Log } from '#gateway/observability/log.ts'
import { measureTimerWork } from '#shared/repeat.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import type { BuildIdentity } from '../model/evidence-keys.ts'
import { createInstanceReport } from './gateway-instances.ts'
import {
  openRoutingDatabase,
  type RoutingDatabaseSettings,
  readRoutingDatabaseUrl,
} from './open-routing-database.ts'
import { PollFreshness } from './poll-freshness.ts'
import { readChangedRouting } from './read-stored-routing.ts'
import { storeStops } from './restored-database.ts'
import type { RoutingState } from './routing-state.ts'

interface FollowOptions {
  readonly settings: RoutingDatabaseSettings
  readonly state: RoutingState
  readonly build: BuildIdentity
  readonly instanceId?: string
  readonly log: Log
  readonly timing?: Partial<FollowTiming> | undefined
  /** Called before the first read and after each failure, until it resolves. Until then, the state is unknown. */
  readonly prepare?: (() => Promise<void>) | undefined
  /** Called after each poll, unless this process was too busy to measure the poll. */
  readonly onPoll?: (durationMs: number, hasFailed: boolean) => void
}

// Polling guarantees that a change is adopted. Notifications only make it faster.
const defaultTiming = {
  pollIntervalMs: 500,
  /** The state counts as stale after this long without a successful poll. */
  staleAfterMs: 5000,
  beatIntervalMs: 5000,
  startTimeoutMs: 5000,
}
export type FollowTiming = typeof defaultTiming

// Shorter than the timeouts of requests, because a poll that hangs delays the next one.
const pollTimeoutMs = 500
// Longer than a poll's timeout, because there may be many overrides.
const readTimeoutMs = 5000

const checkIntervalMs = 5
/** If the event loop handles a response this late, even a healthy database seems slow. */
const maxDelayMs = 50

/** `isDelayed` means that the event loop or the machine was too busy to handle the response immediately. */
export const startPollMeasurement = () => {
  const startedAt = performance.now()
  let dueAt = startedAt + checkIntervalMs
  let maxLatenessMs = 0
  const timer = setInterval(() => {
    maxLatenessMs = Math.max(maxLatenessMs, performance.now() - dueAt)
    dueAt = performance.now() + checkIntervalMs
  }, checkIntervalMs)
  return {
    finish() {
      clearInterval(timer)
      const now = performance.now()
      return { durationMs: now - startedAt, isDelayed: Math.max(maxLatenessMs, now - dueAt) > maxDelayMs }
    },
  }
}

/**
 * Keeps this instance's routing state equal to the database's, on separate connections that requests cannot exhaust.
 * While the database is down, the last state stays in force. Resolves once the state has been read, or after
 * `startTimeoutMs` if it has not been read by then.
 */
export const followDatabase = async ({
  settings,
  state,
  build,
  instanceId = crypto.randomUUID(),
  log,
  timing = {},
  prepare,
  onPoll = () => {},
}: FollowOptions) => {
  const { pollIntervalMs, staleAfterMs, beatIntervalMs, startTimeoutMs } = { ...defaultTiming, ...timing }
  const own = { applicationName: 'crossfade-routing', connections: 1 } as const
  const polled = openRoutingDatabase(settings, { ...own, statementTimeoutMs: pollTimeoutMs })
  // Connects only while the whole state is read.
  const read = openRoutingDatabase(settings, { ...own, statementTimeoutMs: readTimeoutMs })
  const instance = createInstanceReport({ database: polled, id: instanceId, build, beatIntervalMs })
  const logThrottled = createThrottledLog(log)
  const firstRead = Promise.withResolvers<void>()
  let readAt = Number.NEGATIVE_INFINITY
  let isPrepared = prepare === undefined
  let isPreparing = false
  let isClosed = false
  let isOutdated = false
  let hasFailed = false

  const adoptNewEpoch = async () => {
    const previous = state.stored()
    const stored = await readChangedRouting({
      polled: polled.reader,
      read: read.db,
      previous,
      mustRead: hasFailed || isOutdated,
      keepStops: (known) => storeStops(read.db, known, log),
      log,
    })
    if (stored !== previous) measureTimerWork('routing', () => state.adopt(stored))
    readAt = freshness.now()
    if (isOutdated) log.info({ epoch: stored.epoch }, 'routing state refreshed')
    isOutdated = false
    state.refresh(false)
  }

  const report = async () => {
    const stored = state.stored()
    if (stored !== null) await instance.report(stored.epoch)
  }

  const succeedsOrLogs = async (work: () => Promise<void>, failure: string) => {
    try {
      await work()
      return true
    } catch (error) {
      logThrottled(error, failure)
      return false
    }
  }

  // A notification that arrives during a poll requires another poll, because the current one may have missed the
  // change.
  let polling: Promise<void> | null = null
  let isPollNeeded = false
  const pollUntilDone = async () => {
    do {
      isPollNeeded = false
      const startedAt = freshness.now()
      const measurement = startPollMeasurement()
      hasFailed = !(await succeedsOrLogs(adoptNewEpoch, 'failed to read routing state'))
      const { durationMs, isDelayed } = measurement.finish()
      if (!isDelayed) onPoll(durationMs, hasFailed)
      freshness.recordPoll(startedAt, hasFailed)
      if (hasFailed) continue
      await succeedsOrLogs(report, 'failed to report instance')
      firstRead.resolve()
      await succeedsOrLogs(instance.cleanUp, 'failed to delete old routing rows')
    } while (isPollNeeded)
  }
  const poll = () => {
    isPollNeeded = true
    polling ??= pollUntilDone().finally(() => {
      polling = null
    })
    return polling
  }

  // Separate from polling, because the preparation may take as long as a migration.
  const prepareOnce = async (work: () => Promise<void>) => {
    isPreparing = true
    isPrepared = await succeedsOrLogs(work, 'failed to prepare database')
    isPreparing = false
  }
  const pollIfPrepared = async () => {
    if (prepare && !isPrepared) {
      if (isPreparing) return
      await prepareOnce(prepare)
    }
    if (isPrepared && !isClosed) await poll()
  }

  const freshness = new PollFreshness({ staleAfterMs, requestPoll: () => void pollIfPrepared() })
  const markStale = () => {
    const isOverdue = freshness.now() - readAt > staleAfterMs
    if (isOverdue && !isOutdated) log.warn({ epoch: state.current().epoch }, 'routing state outdated')
    isOutdated ||= isOverdue
    state.refresh(isOverdue)
  }

  const subscription = openSubscription(readRoutingDatabaseUrl(settings), {
    ca: settings.DATABASE_CA,
    channel: routingChannel,
    onNotify: () => void pollIfPrepared(),
  })
  void pollIfPrepared()
  const timer = setInterval(() => {
    freshness.tick()
    if (state.stored() !== null) markStale()
    subscription.reconnect()
    // A poll in progress is recent enough.
    if (polling === null) void pollIfPrepared()
  }, pollIntervalMs)
  await withTimeout(startTimeoutMs, firstRead.promise, () => {
    isOutdated = true
    log.warn({ twoSidedRoutes: 'core', retiredRoutes: 'core' }, 'routing state unavailable at start')
  })
  subscription.reconnect()

  return {
    instanceId,
    waitUntilFresh: () => freshness.wait(),
    async close() {
      isClosed = true
      clearInterval(timer)
      await subscription.close()
      await polling
      await instance.remove()
      await Promise.all([polled.close(), read.close()])
    },
  }
}
