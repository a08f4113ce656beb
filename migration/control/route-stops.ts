import type { Label } from '#contracts/route-table.ts'
import type { Log } from '#gateway/observability/log.ts'
import { describeError } from '#shared/describe-error.ts'
import { runOutsideTraces } from '#shared/tracing/trace.ts'
import type { MismatchCause } from '../model/gate/evidence-set.ts'
import type { StopCause } from '../model/stop/alarm.ts'
import { isSameChoice, type ObservedStep } from '../model/stop/observed-step.ts'

export interface RouteStop {
  readonly label: Label
  /** Version of the state that the alarm is about. A newer version overrules the alarm. */
  readonly version: number
  readonly cause: StopCause | MismatchCause
  /** Whether this instance alone observed the cause, or all instances together. */
  readonly observer: 'instance' | 'fleet'
  /** The code that native served with; null if unknown. */
  readonly evidenceKey: string | null
}

/** The outcome of a change: `stale` if the state has changed meanwhile, `illegal` if the state does not allow it. */
export type StoredChange =
  | { readonly kind: 'changed' | 'stale' }
  | { readonly kind: 'illegal'; readonly reason: string }

/** Changes a route's stored state. Rejects if the database is down; the caller then tries again. */
export interface StoredRollback {
  /** Rolls the route back and marks its code as failed, unless the database could be the cause. */
  rollBack(stop: RouteStop): Promise<StoredChange>
  /** Holds the route, because the core fails too often to compare native with it. */
  hold(label: Label, version: number): Promise<StoredChange>
}

export interface RouteStopOptions {
  /** Null if there is no stored state. A stop then lasts as long as the process. */
  readonly stored: StoredRollback | null
  readonly log: Log
  readonly onStopped?: (stop: RouteStop) => void
  readonly retryDelayMs?: number
}

type Steps = ReadonlyMap<Label, ObservedStep>

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

const describeRejection = (outcome: StoredChange) =>
  outcome.kind === 'illegal' ? { reason: outcome.reason } : {}

/**
 * The routes stopped on this instance. A stop takes effect immediately, even without the database, and then rolls the
 * stored state back so that all instances follow. The stop ends when the instance adopts a state with a different
 * native percentage, or a hold.
 */
export const createRouteStops = ({
  stored,
  log,
  onStopped = () => {},
  retryDelayMs = 1000,
}: RouteStopOptions) => {
  const stopped = new Map<Label, RouteStop>()
  // A rollback is not requested again until the instance adopts a different routing state, which may allow it.
  const rollbackRequested = new Map<Label, number>()
  const holdRequested = new Map<Label, number>()
  const retries = new Set<NodeJS.Timeout>()
  let isClosed = false

  const retryLater = (work: () => void) => {
    if (isClosed) return
    const timer = setTimeout(() => {
      retries.delete(timer)
      work()
    }, retryDelayMs)
    timer.unref()
    retries.add(timer)
  }

  const rollBack = async (stop: RouteStop): Promise<void> => {
    if (!stored) return
    const { label: route, version, cause, observer } = stop
    rollbackRequested.set(route, version)
    try {
      const outcome = await runOutsideTraces(() => stored.rollBack(stop))
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
        if (stopped.get(route) === stop) void rollBack(stop)
      })
    }
  }

  // Even a change of mode alone makes an earlier rollback request stale, so the rollback is requested again.
  const adoptStep = (
    stop: RouteStop,
    before: ObservedStep | undefined,
    adopted: ObservedStep | undefined,
  ) => {
    const { label, version } = stop
    if (adopted && !adopted.isHeld) {
      if (adopted.version === version) return
      if (before && isSameChoice(before, version, adopted)) {
        const kept = { ...stop, version: adopted.version }
        stopped.set(label, kept)
        void rollBack(kept)
        return
      }
    }
    stopped.delete(label)
  }

  return {
    has: (label: Label) => stopped.has(label),
    list: (): readonly Label[] => [...stopped.keys()],

    stop(found: RouteStop, step: ObservedStep | undefined) {
      const { label: route, version, cause, observer } = found
      // Without a handler here, or if the state has changed, there is nothing to stop on this instance.
      const isServedHere = step?.version === version && step.nativeTraffic !== 'none'
      if (stopped.has(route) || (isServedHere && step.isHeld)) return
      if (isServedHere) {
        stopped.set(route, found)
        log.error({ route, stateVersion: version, cause, observer }, 'native route stopped')
        onStopped(found)
      }
      if (rollbackRequested.get(route) !== version) void rollBack(found)
    },

    adoptSteps(before: Steps, adopted: Steps) {
      rollbackRequested.clear()
      for (const stop of [...stopped.values()])
        adoptStep(stop, before.get(stop.label), adopted.get(stop.label))
    },

    async hold(label: Label, version: number) {
      if (!stored || holdRequested.get(label) === version) return
      holdRequested.set(label, version)
      try {
        const outcome = await runOutsideTraces(() => stored.hold(label, version))
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
    },

    close() {
      isClosed = true
      for (const timer of retries) clearTimeout(timer)
    },
  }
}
