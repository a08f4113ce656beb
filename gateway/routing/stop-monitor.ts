import type { Label } from '#contracts/route-table.ts'
import type { MismatchCause } from '#migration/routing/gate/mismatch-stop.ts'
import type { MonitorDelta } from '#migration/routing/stop/monitor-delta.ts'
import { isSameChoice, keepEpochs, type ObservedStep } from '#migration/routing/stop/observed-step.ts'
import { createRequestTally } from '#migration/routing/stop/request-counts.ts'
import { type MonitorOptions, RouteMonitor } from '#migration/routing/stop/route-monitor.ts'
import type { Alarm, StopCause } from '#migration/routing/stop/stop-rates.ts'
import { noUsualBehaviours, type UsualBehaviours } from '#migration/routing/stop/usual-behaviour.ts'
import { describeError } from '#shared/describe-error.ts'
import { runOutsideTraces } from '#shared/tracing/trace.ts'
import type { Log } from '../observability/log.ts'

/** A stop of one route: what it was found in, and why. */
export interface RouteStop {
  readonly label: Label
  /** The version of the state that the alarm is about. A newer one has been decided on since. */
  readonly version: number
  readonly cause: StopCause | MismatchCause
  /** Who observed it: this instance alone, or all of them together. */
  readonly observer: 'instance' | 'fleet'
  /** The code that native served with; null if it is not known. */
  readonly evidenceKey: string | null
}

/** What became of a change: `stale` if a newer state was decided on, `illegal` if the state does not permit it. */
export type StoredChange =
  | { readonly kind: 'changed' | 'stale' }
  | { readonly kind: 'illegal'; readonly reason: string }

/** Changes the stored state of a route. Rejects if the database is unavailable: the change is then requested again. */
export interface StoredRollback {
  /** Rolls the route back and marks its code as failed. */
  rollBack(stop: RouteStop): Promise<StoredChange>
  /** Holds the route, because the core fails too often to compare native with it. */
  hold(label: Label, version: number): Promise<StoredChange>
}

export interface StopMonitorOptions extends Omit<MonitorOptions, 'now'> {
  readonly steps: ReadonlyMap<Label, ObservedStep>
  /** The keys of the handlers of this instance. */
  readonly evidenceKeys: ReadonlyMap<Label, string>
  /** Null if there is no stored state: a stop then lasts as long as the process. */
  readonly stored: StoredRollback | null
  readonly log: Log
  /** Called when native is stopped on this instance. */
  readonly onStopped?: (stop: RouteStop) => void
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  readonly retryDelayMs?: number
}

export interface StopMonitor {
  /** Whether native must not be tried: the core serves the route until its state has changed. */
  isStopped(label: Label): boolean
  listStopped(): readonly Label[]
  /**
   * Records a request that native was tried for. `hasCoreFailed` is whether the core then served it and failed as well;
   * `durationMs` does not include the time that the client took to send its body. `epoch` is that of the decision: a
   * request that was decided before the state of the route changed says nothing about the new one.
   */
  recordNative(label: Label, failed: boolean, hasCoreFailed: boolean, durationMs: number, epoch: number): void
  /** Records a request that only the core was tried for. */
  recordCore(label: Label, failed: boolean, durationMs: number, epoch: number): void
  /**
   * Adopts the steps of a new routing state. A route is no longer stopped if another share of its requests was chosen for
   * native, or it is held.
   */
  adoptSteps(steps: ReadonlyMap<Label, ObservedStep>): void
  /** Compares with what is stored where this instance has not observed enough itself. */
  adoptBaselines(baselines: ReadonlyMap<Label, UsualBehaviours>): void
  /** Acts on an alarm of the fleet as on one of this instance. */
  stop(stop: RouteStop): void
  /** What was observed since the last call. */
  takeDeltas(): ReadonlyMap<Label, MonitorDelta>
  /** Requests no more changes of the stored state. */
  close(): void
}

/** A discarded alarm is logged once for each route in this time, because it is raised again while its cause lasts. */
const discardLogIntervalMs = 10 * 60_000

const rollbackMessages = {
  changed: 'native route rolled back',
  stale: 'native route changed before its rollback',
  illegal: 'native route rollback rejected',
} as const

const holdMessages = {
  changed: 'native route held',
  stale: 'native route changed before its hold',
  illegal: 'native route hold rejected',
} as const

/** The field `reason` of a rejected change. */
const describeRejection = (outcome: StoredChange) =>
  outcome.kind === 'illegal' ? { reason: outcome.reason } : {}

/**
 * Observes every two-sided route and stops native where it fails or is slow and the core does not. A stop acts on this
 * instance at once, also without the database; then it rolls the stored state back, so that all instances follow. It
 * ends when the instance adopts a state of the route in which another share is chosen for native, or that is held.
 *
 * It decides from evidence on the handler and is final. The breaker of `request/route-breaker.ts` needs less evidence,
 * ends by itself after ten seconds and spares callers a failing native route meanwhile, whatever the cause is.
 */
export const createStopMonitor = ({
  steps: initialSteps,
  evidenceKeys,
  stored,
  log,
  onStopped = () => {},
  now = Date.now,
  retryDelayMs = 1000,
  ...monitorOptions
}: StopMonitorOptions): StopMonitor => {
  const monitors = new Map<Label, RouteMonitor>()
  const stopped = new Map<Label, RouteStop>()
  // Not requested again before another routing state is adopted, which may permit what was rejected.
  const rollbackRequested = new Map<Label, number>()
  const holdRequested = new Map<Label, number>()
  const retries = new Set<NodeJS.Timeout>()
  const allRoutes = createRequestTally()
  const discardLoggedAt = new Map<Label, number>()
  let steps = initialSteps
  let baselines: ReadonlyMap<Label, UsualBehaviours> = new Map()
  let isClosed = false

  const findMonitor = (label: Label) => {
    const known = monitors.get(label)
    if (known) return known
    const step = steps.get(label)
    if (!step) return null
    const added = new RouteMonitor(step, allRoutes, { now, ...monitorOptions })
    added.adoptStored(baselines.get(label) ?? noUsualBehaviours)
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
    rollbackRequested.set(route, version)
    try {
      const outcome = await runOutsideTraces(() => port.rollBack(stop))
      log.warn(
        { route, stateVersion: version, cause, observer, ...describeRejection(outcome) },
        rollbackMessages[outcome.kind],
      )
    } catch (error) {
      log.error(
        { route, stateVersion: version, cause, failure: describeError(error) },
        'failed to roll back native route',
      )
      rollbackRequested.delete(route)
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
      log.error({ route, stateVersion: version, cause, observer }, 'native route stopped')
      onStopped(found)
    }
    if (stored && rollbackRequested.get(route) !== version) void rollBack(found, stored)
  }

  // A change of the mode only makes a rollback stale that was requested before it.
  const keepStop = (stop: RouteStop, before: ObservedStep | undefined, adopted: ObservedStep | undefined) => {
    const { label, version } = stop
    if (adopted && !adopted.isHeld) {
      if (adopted.version === version) return
      if (before && isSameChoice(before, version, adopted)) {
        const kept = { ...stop, version: adopted.version }
        stopped.set(label, kept)
        if (stored) void rollBack(kept, stored)
        return
      }
    }
    stopped.delete(label)
  }

  const requestHold = async (label: Label, version: number, port: StoredRollback) => {
    holdRequested.set(label, version)
    try {
      const outcome = await runOutsideTraces(() => port.hold(label, version))
      log.warn(
        { route: label, stateVersion: version, ...describeRejection(outcome) },
        holdMessages[outcome.kind],
      )
    } catch (error) {
      log.error(
        { route: label, stateVersion: version, failure: describeError(error) },
        'failed to hold native route',
      )
      retryLater(() => holdRequested.delete(label))
    }
  }

  const actOnAlarm = (label: Label, version: number, { cause, peer }: Alarm) => {
    if (peer === null) {
      const evidenceKey = evidenceKeys.get(label) ?? null
      return stop({ label, version, cause, observer: 'instance', evidenceKey })
    }
    const loggedAt = discardLoggedAt.get(label)
    if (loggedAt !== undefined && now() - loggedAt < discardLogIntervalMs) return
    discardLoggedAt.set(label, now())
    log.warn({ route: label, stateVersion: version, cause, peer }, 'native route alarm discarded')
  }

  return {
    isStopped: (label) => stopped.has(label),
    listStopped: () => [...stopped.keys()],
    stop,

    recordNative(label, failed, hasCoreFailed, durationMs, epoch) {
      const monitor = findMonitor(label)
      const alarm = monitor?.recordNative(failed, hasCoreFailed, durationMs, epoch)
      if (monitor && alarm) actOnAlarm(label, monitor.version, alarm)
    },

    recordCore(label, failed, durationMs, epoch) {
      findMonitor(label)?.recordCore(failed, durationMs, epoch)
    },

    adoptBaselines(adopted) {
      baselines = adopted
      for (const [label, monitor] of monitors) monitor.adoptStored(adopted.get(label) ?? noUsualBehaviours)
    },

    adoptSteps(adopted) {
      const before = steps
      steps = keepEpochs(steps, adopted)
      rollbackRequested.clear()
      for (const stop of [...stopped.values()])
        keepStop(stop, before.get(stop.label), adopted.get(stop.label))
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
        const delta = monitor.takeDelta(evidenceKeys.get(label) ?? null)
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
