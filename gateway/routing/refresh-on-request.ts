import type { Log } from '../observability/log.ts'
import { createThrottledLog } from '../observability/throttled-log.ts'
import type { RoutingState, StoredRouting } from './routing-state.ts'

interface RefreshOptions {
  readonly state: RoutingState
  /** Reads the stored state on connections of the request that causes it. */
  readonly read: (previous: StoredRouting) => Promise<StoredRouting>
  /** Keeps work running after the response of the request that causes it. */
  readonly inBackground: (work: Promise<unknown>) => void
  readonly log: Log
  /** Milliseconds. */
  readonly now?: () => number
}

/** How old a state may be that a request is decided from. */
const ttlMs = 5000
// Early enough for the state to be replaced before it is too old, without a request that waits for it.
const refreshAfterMs = 3500
const retryDelayMs = 1000

/**
 * Keeps the routing state of an isolate, which has no timers and cannot share connections between requests: a request
 * that finds the state old reads it again. Returns a promise only for a request that has to wait. While the database is
 * unavailable the last state remains.
 */
export const createRequestRefresh = ({
  state,
  read,
  inBackground,
  log,
  now = Date.now,
}: RefreshOptions): (() => Promise<void> | undefined) => {
  const logThrottled = createThrottledLog(log)
  let readAt = Number.NEGATIVE_INFINITY
  let attemptedAt = Number.NEGATIVE_INFINITY
  let failedAt = Number.NEGATIVE_INFINITY

  const refresh = async () => {
    const startedAt = now()
    attemptedAt = startedAt
    try {
      const stored = await read(state.stored())
      // Another request may have read a newer state in the meantime.
      if (startedAt <= readAt) return
      readAt = startedAt
      if (stored.epoch === state.stored().epoch) state.refresh(false)
      else state.adopt(stored)
    } catch (error) {
      failedAt = now()
      state.refresh(now() - readAt > ttlMs)
      logThrottled(error, 'failed to read routing state')
    }
  }

  return () => {
    const age = now() - readAt
    if (age < refreshAfterMs) return undefined
    // Otherwise every request would wait for a database that is unavailable.
    const mayWait = age >= ttlMs && failedAt <= readAt
    if (!mayWait && now() - attemptedAt < retryDelayMs) return undefined
    if (age >= ttlMs) return refresh()
    inBackground(refresh())
    return undefined
  }
}
