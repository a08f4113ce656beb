import { createThrottledLog, type Log } from '#gateway/observability/log.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import { isSameChange, type RoutingState, type StoredRouting } from './routing-state.ts'

interface RefreshOptions {
  readonly state: RoutingState
  /** Reads on the current request's connections. `mustRead` reads the state even if the epoch is unchanged. */
  readonly read: (previous: StoredRouting | null, mustRead: boolean) => Promise<StoredRouting>
  /** Keeps work running after the current request has been answered. */
  readonly inBackground: (work: Promise<unknown>) => void
  readonly log: Log
  readonly now?: () => number
}

/** The maximum age of a state that may decide a request. */
const ttlMs = 5000
// Early enough to replace the state before it gets too old, so that no request has to wait.
const refreshAfterMs = 3500
const retryDelayMs = 1000
const waitTimeoutMs = 1000

/**
 * Keeps an isolate's routing state fresh. An isolate has no timers, and its requests cannot share connections, so a
 * request that finds the state old reads it again. Call the returned function for each request. It returns a promise
 * only if the request must wait, which takes at most a second. While the database is down, the last state stays in
 * force.
 */
export const createRequestRefresh = ({
  state,
  read,
  inBackground,
  log,
  now = () => performance.now(),
}: RefreshOptions): (() => Promise<void> | undefined) => {
  const logThrottled = createThrottledLog(log)
  let readAt = Number.NEGATIVE_INFINITY
  let attemptedAt = Number.NEGATIVE_INFINITY
  let readEndedAt = Number.NEGATIVE_INFINITY
  let hasFailed = false

  const markFailed = () => {
    hasFailed = true
    state.refresh(now() - readAt > ttlMs)
  }

  const adopt = (stored: StoredRouting, startedAt: number, isReread: boolean) => {
    const current = state.stored()
    // Reads of several requests can overlap, and then the highest epoch is the newest. If a read that began after the
    // last one ended has a lower epoch, the database was restored.
    const isOverlapping = startedAt <= readEndedAt
    if (isOverlapping && current !== null && stored.epoch < current.epoch) return
    readAt = Math.max(readAt, startedAt)
    readEndedAt = now()
    hasFailed = false
    if (current !== null && isSameChange(stored, current) && !isReread) state.refresh(false)
    else state.adopt(stored)
  }

  const refresh = async () => {
    const startedAt = now()
    const mustRead = hasFailed
    attemptedAt = startedAt
    try {
      adopt(await read(state.stored(), mustRead), startedAt, mustRead)
    } catch (error) {
      // Another request may have read the state in the meantime.
      if (startedAt > readAt) markFailed()
      logThrottled(error, 'failed to read routing state')
    }
  }

  // If the wait times out, the read continues, and its result is adopted when it ends.
  const refreshAndWait = () => {
    const refreshing = refresh()
    inBackground(refreshing)
    return withTimeout(waitTimeoutMs, refreshing, markFailed)
  }

  return () => {
    const age = now() - readAt
    if (age < refreshAfterMs) return undefined
    // After a failure no request waits. Otherwise every request would wait while the database is unavailable.
    const mayWait = age >= ttlMs && !hasFailed
    if (!mayWait && now() - attemptedAt < retryDelayMs) return undefined
    if (age >= ttlMs) return refreshAndWait()
    inBackground(refresh())
    return undefined
  }
}
