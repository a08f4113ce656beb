import type { Label } from '#contracts/route-table.ts'
import type { SettledRequest } from '#gateway/request/route-control.ts'
import { measureTimerWork } from '#shared/repeat.ts'
import type { EvidenceKeys } from '../model/evidence-keys.ts'
import type { Alarm } from '../model/stop/alarm.ts'
import { noUsualBehaviours, type UsualBehaviours } from '../model/stop/expectations.ts'
import { keepEpochs, type ObservedStep } from '../model/stop/observed-step.ts'
import type { Vote } from '../model/stop/rejections.ts'
import { createRequestTally } from '../model/stop/request-counts.ts'
import { type MonitorOptions, RouteMonitor } from '../model/stop/route-monitor.ts'
import type { MonitorDelta } from '../model/stop/stored-observations.ts'
import { createRoutePause } from './route-pause.ts'
import { createRouteStops, type RouteStop, type RouteStopOptions } from './route-stops.ts'

export interface GuardOptions extends RouteStopOptions, Omit<MonitorOptions, 'now'> {
  readonly steps: ReadonlyMap<Label, ObservedStep>
  readonly evidenceKeys: EvidenceKeys
  /** Monotonic clock, in milliseconds. If it were set back, a pause would last longer. */
  readonly now?: () => number
  /** How long a success may wait to be counted. Absent on platforms without timers. */
  readonly countIntervalMs?: number
}

type SettledByCore = Extract<SettledRequest, { readonly side: 'core' }>
type SettledByNative = Extract<SettledRequest, { readonly side: 'native' }>

interface GuardedRoute {
  /** Successes of each side that are in the tally but not counted yet. */
  served: number
  servedByCore: number
  readonly pause: ReturnType<typeof createRoutePause>
  /** Null if nothing could stop the route. */
  monitor: RouteMonitor | null
  discardLoggedAt: number
}

/** Logs a route's discarded alarm at most this often, because it returns for as long as its cause lasts. */
const discardLogIntervalMs = 10 * 60_000

export type NativeGuard = ReturnType<typeof createNativeGuard>

/**
 * Protects users from routes that native serves worse than the core. A *stop* lasts until the route's state changes, so
 * it needs evidence against the handler. A *pause* ends by itself; it needs less evidence and may have any cause, so it
 * protects callers sooner. Operators see the reason `breaker` for both. Most requests are successes, which only go into
 * a tally. A timer adds the tally to the counts, as does any request that has to be judged against them.
 */
export const createNativeGuard = (options: GuardOptions) => {
  const { evidenceKeys, log, now = () => performance.now(), countIntervalMs } = options
  const hasTimer = countIntervalMs !== undefined
  const routes = new Map<Label, GuardedRoute>()
  const stops = createRouteStops(options)
  const allRoutes = createRequestTally()
  let { steps } = options
  let baselines: ReadonlyMap<Label, UsualBehaviours> = new Map()

  const createMonitor = (label: Label) => {
    const step = steps.get(label)
    if (!step) return null
    const monitor = new RouteMonitor(step, allRoutes, { ...options, now })
    monitor.adoptStored(baselines.get(label) ?? noUsualBehaviours)
    return monitor
  }

  const findRoute = (label: Label) => {
    const known = routes.get(label)
    if (known) return known
    const added = {
      served: 0,
      servedByCore: 0,
      pause: createRoutePause(label, log),
      monitor: createMonitor(label),
      discardLoggedAt: Number.NEGATIVE_INFINITY,
    }
    routes.set(label, added)
    return added
  }

  const countTally = (route: GuardedRoute, at: number) => {
    const { served, servedByCore, pause, monitor } = route
    pause.logEnd(at)
    if (served === 0 && servedByCore === 0) return
    route.served = 0
    route.servedByCore = 0
    if (served > 0) pause.countServed(served, at)
    monitor?.addSuccesses(served, servedByCore)
  }

  const countTallies = () => {
    const at = now()
    for (const route of routes.values()) countTally(route, at)
  }

  const timer = hasTimer
    ? setInterval(() => measureTimerWork('guard', countTallies), countIntervalMs)
    : undefined
  timer?.unref()

  const stop = (found: RouteStop): void => stops.stop(found, steps.get(found.label))

  const actOnAlarm = (label: Label, route: GuardedRoute, version: number, { cause, peer }: Alarm) => {
    if (peer === null) {
      const evidenceKey = evidenceKeys.get(label) ?? null
      return stop({ label, version, cause, observer: 'instance', evidenceKey })
    }
    if (now() - route.discardLoggedAt < discardLogIntervalMs) return
    route.discardLoggedAt = now()
    log.warn({ route: label, stateVersion: version, cause, peer }, 'native route alarm discarded')
  }

  const recordNative = (
    { label, epoch }: SettledRequest,
    route: GuardedRoute,
    failed: boolean,
    hasCoreFailed: boolean,
    durationMs: number,
  ) => {
    const alarm = route.monitor?.recordNative(failed, hasCoreFailed, durationMs, epoch)
    if (route.monitor && alarm) actOnAlarm(label, route, route.monitor.version, alarm)
  }

  const isPaused = (label: Label) => routes.get(label)?.pause.isPaused(now()) ?? false

  const settledByCore = (request: SettledByCore, route: GuardedRoute) => {
    const { failed, durationMs, nativeMs, epoch } = request
    const { monitor } = route
    if (nativeMs !== null) {
      countTallies()
      return recordNative(request, route, true, failed, nativeMs)
    }
    if (hasTimer && !failed && monitor?.addSteadyCore(durationMs, epoch)) {
      route.servedByCore += 1
      return
    }
    countTally(route, now())
    monitor?.recordCore(failed, durationMs, epoch)
  }

  const settledByNative = (request: SettledByNative, route: GuardedRoute) => {
    const { result, durationMs, epoch } = request
    const { monitor, pause } = route
    const canWait = hasTimer && result === 'served' && durationMs !== null
    if (canWait && (monitor === null || monitor.addSteadyNative(durationMs, epoch))) {
      route.served += 1
      return
    }
    countTallies()
    // Not judged yet, because only the core's response will show whether the core fails too.
    if (result === 'fell-back') return pause.countFallback(now())
    pause.countServed(1, now())
    if (durationMs !== null) recordNative(request, route, result === 'failed', false, durationMs)
  }

  const settled = (request: SettledRequest) => {
    const route = findRoute(request.label)
    if (request.side === 'core') settledByCore(request, route)
    else settledByNative(request, route)
  }

  return {
    settled,
    /** Acts on the fleet's alarm as if this instance had raised it. */
    stop,
    countVote: (label: Label, vote: Vote) => findRoute(label).monitor?.countVote(vote),
    isPaused,
    isStopped: stops.has,
    mayTryNative: (label: Label) => !stops.has(label) && !isPaused(label),
    listUntried: (): readonly Label[] => [
      ...new Set([...stops.list(), ...[...routes.keys()].filter(isPaused)]),
    ],

    /** Uses stored baselines where this instance has not observed enough itself. */
    adoptBaselines(adopted: ReadonlyMap<Label, UsualBehaviours>) {
      countTallies()
      baselines = adopted
      for (const [label, { monitor }] of routes) monitor?.adoptStored(adopted.get(label) ?? noUsualBehaviours)
    },

    /** A stop ends if a different percentage was chosen for native, or the route is held. */
    adoptSteps(adopted: ReadonlyMap<Label, ObservedStep>) {
      countTallies()
      const before = steps
      steps = keepEpochs(steps, adopted)
      stops.adoptSteps(before, adopted)
      for (const [label, route] of routes) {
        const step = adopted.get(label)
        if (!step) route.monitor = null
        else if (!route.monitor) route.monitor = createMonitor(label)
        else if (!route.monitor.isAt(step)) route.monitor.beginStep(step)
      }
    },

    takeDeltas(): ReadonlyMap<Label, MonitorDelta> {
      countTallies()
      const deltas = new Map<Label, MonitorDelta>()
      for (const [label, { monitor }] of routes) {
        if (!monitor) continue
        if (monitor.isHoldRequired && !steps.get(label)?.isHeld) void stops.hold(label, monitor.version)
        const delta = monitor.takeDelta(evidenceKeys.get(label) ?? null)
        if (delta) deltas.set(label, delta)
      }
      return deltas
    },

    /** Stops the timer. After this, the guard no longer changes the stored state. */
    close() {
      clearInterval(timer)
      stops.close()
    },
  }
}
