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
export class RouteStops {
  readonly #stored: StoredRollback | null
  readonly #log: Log
  readonly #onStopped: (stop: RouteStop) => void
  readonly #retryDelayMs: number
  readonly #stopped = new Map<Label, RouteStop>()
  // A rollback is not requested again until the instance adopts a different routing state, which may allow it.
  readonly #rollbackRequested = new Map<Label, number>()
  readonly #holdRequested = new Map<Label, number>()
  readonly #retries = new Set<NodeJS.Timeout>()
  #isClosed = false

  constructor({ stored, log, onStopped = () => {}, retryDelayMs = 1000 }: RouteStopOptions) {
    this.#stored = stored
    this.#log = log
    this.#onStopped = onStopped
    this.#retryDelayMs = retryDelayMs
  }

  has(label: Label) {
    return this.#stopped.has(label)
  }

  list(): readonly Label[] {
    return [...this.#stopped.keys()]
  }

  stop(found: RouteStop, step: ObservedStep | undefined) {
    const { label: route, version, cause, observer } = found
    // Without a handler here, or if the state has changed, there is nothing to stop on this instance.
    const isServedHere = step?.version === version && step.nativeTraffic !== 'none'
    if (this.#stopped.has(route) || (isServedHere && step.isHeld)) return
    if (isServedHere) {
      this.#stopped.set(route, found)
      this.#log.error({ route, stateVersion: version, cause, observer }, 'native route stopped')
      this.#onStopped(found)
    }
    if (this.#rollbackRequested.get(route) !== version) this.#requestRollback(found)
  }

  adoptSteps(before: Steps, adopted: Steps) {
    this.#rollbackRequested.clear()
    for (const stop of [...this.#stopped.values()])
      this.#adoptStep(stop, before.get(stop.label), adopted.get(stop.label))
  }

  hold(label: Label, version: number) {
    if (this.#stored && this.#holdRequested.get(label) !== version)
      void this.#hold(label, version, this.#stored)
  }

  close() {
    this.#isClosed = true
    for (const timer of this.#retries) clearTimeout(timer)
  }

  // Even a change of mode alone makes an earlier rollback request stale, so the rollback is requested again.
  #adoptStep(stop: RouteStop, before: ObservedStep | undefined, adopted: ObservedStep | undefined) {
    const { label, version } = stop
    if (adopted && !adopted.isHeld) {
      if (adopted.version === version) return
      if (before && isSameChoice(before, version, adopted)) {
        const kept = { ...stop, version: adopted.version }
        this.#stopped.set(label, kept)
        this.#requestRollback(kept)
        return
      }
    }
    this.#stopped.delete(label)
  }

  #requestRollback(stop: RouteStop) {
    if (this.#stored) void this.#rollBack(stop, this.#stored)
  }

  async #rollBack(stop: RouteStop, stored: StoredRollback): Promise<void> {
    const { label: route, version, cause, observer } = stop
    this.#rollbackRequested.set(route, version)
    try {
      const outcome = await runOutsideTraces(() => stored.rollBack(stop))
      this.#log.warn(
        { route, stateVersion: version, cause, observer, ...describeRejection(outcome) },
        rollbackMessages[outcome.kind],
      )
    } catch (error) {
      this.#log.error(
        { route, stateVersion: version, cause, failure: describeError(error) },
        'failed to roll back native route',
      )
      this.#rollbackRequested.delete(route)
      this.#retryLater(() => {
        if (this.#stopped.get(route) === stop) void this.#rollBack(stop, stored)
      })
    }
  }

  async #hold(label: Label, version: number, stored: StoredRollback) {
    this.#holdRequested.set(label, version)
    try {
      const outcome = await runOutsideTraces(() => stored.hold(label, version))
      this.#log.warn(
        { route: label, stateVersion: version, ...describeRejection(outcome) },
        holdMessages[outcome.kind],
      )
    } catch (error) {
      this.#log.error(
        { route: label, stateVersion: version, failure: describeError(error) },
        'failed to hold native route',
      )
      this.#retryLater(() => this.#holdRequested.delete(label))
    }
  }

  #retryLater(work: () => void) {
    if (this.#isClosed) return
    const timer = setTimeout(() => {
      this.#retries.delete(timer)
      work()
    }, this.#retryDelayMs)
    timer.unref()
    this.#retries.add(timer)
  }
}
