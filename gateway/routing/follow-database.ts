import type { Label } from '#contracts/route-table.ts'
import { openDatabase } from '#db/client/connection.ts'
import { openSubscription } from '#db/client/listen.ts'
import { deleteInstance, upsertInstance } from '#db/queries/gateway-instances.ts'
import { findRoutingEpoch, routingChannel } from '#db/queries/route-states.ts'
import type { Log } from '../observability/log.ts'
import { createThrottledLog } from '../observability/throttled-log.ts'
import type { Settings } from '../settings/settings.ts'
import { readStoredRouting } from './read-stored-routing.ts'
import type { RoutingState } from './routing-state.ts'

interface FollowOptions {
  readonly settings: Pick<
    Settings,
    'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATABASE_CA' | 'DATABASE_PREPARE'
  >
  readonly state: RoutingState
  /** The code of this instance, which it reports with the evidence keys of its handlers. */
  readonly build: { readonly id: string; readonly keys: ReadonlyMap<Label, string> }
  readonly log: Log
  readonly timing?: Partial<FollowTiming>
}

/** Milliseconds. */
interface FollowTiming {
  readonly pollIntervalMs: number
  /** After how long without a successful poll the state counts as stale. */
  readonly staleAfterMs: number
  readonly beatIntervalMs: number
}

// Polling guarantees that a change is adopted; notifications make it faster, where they arrive.
const defaultTiming: FollowTiming = { pollIntervalMs: 500, staleAfterMs: 5000, beatIntervalMs: 5000 }
// Shorter than those of requests: a poll that hangs delays the next one.
const statementTimeoutMs = 500
const connectTimeoutMs = 1000

/**
 * Keeps the routing state of this instance equal to that of the database, on two connections of its own: requests that
 * wait for a connection do not delay it. While the database is unavailable the last state remains. Resolves after the
 * first attempt to read the state.
 */
export const followDatabase = async ({ settings, state, build, log, timing = {} }: FollowOptions) => {
  const { pollIntervalMs, staleAfterMs, beatIntervalMs } = { ...defaultTiming, ...timing }
  const databaseUrl = settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL
  const { DATABASE_CA: ca, DATABASE_PREPARE: prepare } = settings
  const database = openDatabase(databaseUrl, {
    ca,
    connections: 1,
    prepare,
    statementTimeoutMs,
    connectTimeoutMs,
  })
  const instance = { id: crypto.randomUUID(), build: build.id, keys: Object.fromEntries(build.keys) }
  const logThrottled = createThrottledLog(log)
  let readAt = Number.NEGATIVE_INFINITY
  let isOutdated = false
  let adoptedEpoch: number | null = null
  let reportedEpoch: number | null = null
  let reportedAt = 0

  const adoptNewEpoch = async () => {
    const epoch = await findRoutingEpoch(database.reader)
    if (epoch !== adoptedEpoch) {
      const stored = await readStoredRouting(database, state.stored(), log)
      state.adopt(stored)
      adoptedEpoch = stored.epoch
    }
    readAt = performance.now()
    if (isOutdated) log.info({ epoch }, 'routing state refreshed')
    isOutdated = false
    state.refresh(false)
  }

  const report = async () => {
    const isDue = performance.now() - reportedAt > beatIntervalMs
    if (adoptedEpoch === null || (adoptedEpoch === reportedEpoch && !isDue)) return
    const epoch = adoptedEpoch
    await upsertInstance(database.db, { ...instance, epoch })
    reportedEpoch = epoch
    reportedAt = performance.now()
  }

  const succeeds = async (work: () => Promise<void>, failure: string) => {
    try {
      await work()
      return true
    } catch (error) {
      logThrottled(error, failure)
      return false
    }
  }

  // A notification during a poll may be about a change that the poll has not seen.
  let polling: Promise<void> | null = null
  let isPollNeeded = false
  const pollUntilDone = async () => {
    do {
      isPollNeeded = false
      const isRead = await succeeds(adoptNewEpoch, 'failed to read routing state')
      if (isRead) await succeeds(report, 'failed to report instance')
    } while (isPollNeeded)
  }
  const poll = () => {
    isPollNeeded = true
    polling ??= pollUntilDone().finally(() => {
      polling = null
    })
    return polling
  }

  const markStale = () => {
    const isOverdue = performance.now() - readAt > staleAfterMs
    if (isOverdue && !isOutdated) log.warn({ epoch: state.current().epoch }, 'routing state outdated')
    isOutdated ||= isOverdue
    state.refresh(isOverdue)
  }

  await poll()
  markStale()
  const subscription = openSubscription(databaseUrl, {
    ca,
    channel: routingChannel,
    onNotify: () => void poll(),
  })
  subscription.reconnect()
  const timer = setInterval(() => {
    markStale()
    subscription.reconnect()
    // Not while one is running, whose outcome is as good.
    if (polling === null) void poll()
  }, pollIntervalMs)

  return {
    /** The id under which this instance reports itself. */
    instanceId: instance.id,
    async close() {
      clearInterval(timer)
      await subscription.close()
      await polling
      // So that no change waits for this instance. A row that remains counts as live for some seconds.
      await deleteInstance(database.db, instance.id).catch(() => undefined)
      await database.close()
    },
  }
}
