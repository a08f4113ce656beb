import type { Label } from '#contracts/route-table.ts'
import type { MonitorDelta } from '#migration/routing/stop/monitor-delta.ts'
import type { ObservedStep } from '#migration/routing/stop/observed-step.ts'
import { type MonitorOptions, RouteMonitor } from '#migration/routing/stop/route-monitor.ts'
import type { StopCause } from '#migration/routing/stop/stop-rates.ts'
import { describeError, type Log } from '../observability/log.ts'
import type { NativeStops } from '../request/native-stops.ts'

/** A stop of one route: what it was found in, and why. */
export interface RouteStop {
  readonly label: Label
  /** The version of the state that the alarm is about. A newer one has been decided on since. */
  readonly version: number
  readonly cause: StopCause
  /** Who observed it: this instance alone, or all of them together. */
  readonly observer: 'instance' | 'fleet'
}

/** Changes the stored state of a route. Rejects if the database is unavailable: the change is then requested again. */
export interface StoredRollback {
  /** Rolls the route back and marks its code as failed, unless its version has changed; returns whether it did. */
  rollBack(stop: RouteStop): Promise<boolean>
  /** Holds the route, because the core fails too often to compare native with it. */
  hold(label: Label, version: number): Promise<void>
}

export interface StopMonitorOptions extends Omit<MonitorOptions, 'now'> {
  readonly steps: ReadonlyMap<Label, ObservedStep>
  /** Null if there is no stored state: a stop then lasts as long as the process. */
  readonly stored: StoredRollback | null
  readonly log: Log
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  readonly retryDelayMs?: number
}

export interface StopMonitor extends NativeStops {
  /** Adopts the steps of a new routing state. Routes whose version has changed are no longer stopped. */
  adoptSteps(steps: ReadonlyMap<Label, ObservedStep>): void
  /** Acts on an alarm of the fleet as on one of this instance. */
  stop(stop: RouteStop): void
  /** What was observed since the last call. */
  takeDeltas(): ReadonlyMap<Label, MonitorDelta>
  /** Requests no more changes of the stored state. */
  close(): void
}

/**
 * Observes every two-sided route and stops native where it fails or is slow and the core does not. A stop acts on this
 * instance at once, also without the database; then it rolls the stored state back, so that all instances follow. It
 * ends when the instance adopts another version of the route's state.
 *
 * It decides from evidence on the handler and is final. The breaker of `request/route-breaker.ts` needs less evidence,
 * ends by itself after ten seconds and spares callers a failing native route meanwhile, whatever the cause is.
 */
export const createStopMonitor = ({
  steps: initialSteps,
  stored,
  log,
  now = Date.now,
  retryDelayMs = 1000,
  ...monitorOptions
}: StopMonitorOptions): StopMonitor => {
  const monitors = new Map<Label, RouteMonitor>()
  const stopped = new Map<Label, RouteStop>()
  const holdRequested = new Map<Label, number>()
  const retries = new Set<NodeJS.Timeout>()
  let steps = initialSteps
  let isClosed = false

  const findMonitor = (label: Label) => {
    const known = monitors.get(label)
    if (known) return known
    const step = steps.get(label)
    if (!step) return null
    const added = new RouteMonitor(step, { now, ...monitorOptions })
    monitors.set(label, added)
    return added
  }

  const retryLater = (work: () => void) => {
    if (isClosed) return
    const timer = setTimeout(() => {
      retries.delete(timer)
      work()
    }, retryDelayMs)
    timer.unref()
    retries.add(timer)
  }

  const rollBack = async (stop: RouteStop, port: StoredRollback): Promise<void> => {
    const { label: route, version, cause, observer } = stop
    try {
      const isRolledBack = await port.rollBack(stop)
      const message = isRolledBack ? 'native route rolled back' : 'native route changed before its rollback'
      if (!isRolledBack && stopped.get(route) === stop) stopped.delete(route)
      log.warn({ route, version, cause, observer }, message)
    } catch (error) {
      log.error({ route, version, cause, failure: describeError(error) }, 'failed to roll back native route')
      retryLater(() => {
        if (stopped.get(route) === stop) void rollBack(stop, port)
      })
    }
  }

  const stop: StopMonitor['stop'] = (found) => {
    const { label: route, version, cause, observer } = found
    const step = steps.get(route)
    // Without a handler here, or in another state, there is nothing to stop on this instance.
    const isServedHere = step?.version === version && step.nativeShare !== 'none'
    if (stopped.has(route) || (isServedHere && step.isHeld)) return
    if (isServedHere) {
      stopped.set(route, found)
      log.error({ route, version, cause, observer }, 'native route stopped')
    }
    if (stored) void rollBack(found, stored)
  }

  const requestHold = async (label: Label, version: number, port: StoredRollback) => {
    holdRequested.set(label, version)
    try {
      await port.hold(label, version)
      log.warn({ route: label, version }, 'native route held')
    } catch (error) {
      log.error({ route: label, version, failure: describeError(error) }, 'failed to hold native route')
      retryLater(() => holdRequested.delete(label))
    }
  }

  return {
    isStopped: (label) => stopped.has(label),
    listStopped: () => [...stopped.keys()],
    stop,

    recordNative(label, failed, hasCoreFailed, durationMs) {
      const monitor = findMonitor(label)
      const cause = monitor?.recordNative(failed, hasCoreFailed, durationMs) ?? null
      if (monitor && cause !== null) stop({ label, version: monitor.version, cause, observer: 'instance' })
    },

    recordCore(label, failed, durationMs) {
      findMonitor(label)?.recordCore(failed, durationMs)
    },

    adoptSteps(adopted) {
      steps = adopted
      for (const [label, { version }] of stopped) {
        if (adopted.get(label)?.version === version) continue
        stopped.delete(label)
      }
      for (const [label, monitor] of monitors) {
        const step = adopted.get(label)
        if (!step) monitors.delete(label)
        else if (!monitor.isAt(step)) monitor.beginStep(step)
      }
    },

    takeDeltas() {
      const deltas = new Map<Label, MonitorDelta>()
      for (const [label, monitor] of monitors) {
        const { version, isHoldRequired } = monitor
        const isHeld = steps.get(label)?.isHeld || holdRequested.get(label) === version
        if (isHoldRequired && stored && !isHeld) void requestHold(label, version, stored)
        const delta = monitor.takeDelta()
        if (delta) deltas.set(label, delta)
      }
      return deltas
    },

    close() {
      isClosed = true
      for (const timer of retries) clearTimeout(timer)
    },
  }
}
