import type { Database } from '#db/client/connection.ts'
import type { GateLimits } from '#migration/routing/gate/gate-input.ts'
import type { UndiciTransport } from '#proxy/undici/transport-undici.ts'
import { countComparisons } from '../comparisons/count-comparisons.ts'
import { type ComparisonRates, startComparisons } from '../comparisons/start-comparisons.ts'
import type { Log } from '../observability/log.ts'
import type { NativeMetrics } from '../observability/native-metrics.ts'
import type { Credentials } from '../pipeline/authenticate.ts'
import { startRouteCounts } from '../routing/counts/route-counts.ts'
import { startComparisonRecorder } from '../routing/evidence/comparison-recorder.ts'
import { startFleetMonitor } from '../routing/fleet-monitor.ts'
import { startGateEvaluator } from '../routing/gate/gate-evaluator.ts'
import { readFixedScopes } from '../routing/observe-routing.ts'
import type { EvidenceKeys } from '../routing/plan-change.ts'
import type { RoutingState } from '../routing/routing-state.ts'
import type { StopMonitor } from '../routing/stop-monitor.ts'
import { startCoreUsage } from '../routing/usage/start-core-usage.ts'
import type { Settings } from '../settings/settings.ts'

/** What tests and benchmarks replace, to compress time or to compare other handlers. */
export interface ObserverOptions {
  /** What a step of a route requires. */
  readonly gateLimits?: GateLimits | undefined
  readonly comparisonRates?: Partial<ComparisonRates> | undefined
  /** How often what was compared is written. */
  readonly comparisonWriteMs?: number | undefined
  /** Milliseconds since the epoch of Unix: when overrides and drills end, and how old what was recorded is. */
  readonly now?: (() => number) | undefined
  /** A module with the handlers that are compared, if they are not the native ones. */
  readonly comparedHandlers?: URL | undefined
}

interface StartObserversOptions extends ObserverOptions {
  readonly settings: Settings
  readonly log: Log
  /** The connections that no request of a client uses. */
  readonly control: Database
  readonly instanceId: string
  readonly transport: UndiciTransport | null
  readonly routing: Pick<RoutingState, 'current' | 'stored' | 'onChange'>
  readonly stops: StopMonitor
  readonly evidenceKeys: EvidenceKeys
  readonly credentials: Credentials
  readonly nativeMetrics: NativeMetrics
  /** The base URL of the service where `PUBLIC_BASE_URL` is not set. */
  readonly listeningUrl: () => string
}

/** Starts what observes requests and moves routes by that. Without a core, requests are counted and nothing else. */
export const startObservers = (options: StartObserversOptions) => {
  const { settings, log, control, instanceId, transport, routing, stops, evidenceKeys } = options
  const {
    credentials,
    nativeMetrics,
    listeningUrl,
    gateLimits,
    comparisonRates,
    comparisonWriteMs,
    comparedHandlers,
    now,
  } = options
  const observer = { db: control.db, instanceId, log }
  const counter = startRouteCounts(observer)
  if (!transport) return { counter, coreUsage: undefined, comparisons: null, close: () => counter.close() }

  const coreUsage = startCoreUsage(observer)
  const fleet = startFleetMonitor({ ...observer, stops })
  const recorder = countComparisons(
    startComparisonRecorder({ ...observer, writeIntervalMs: comparisonWriteMs }),
    nativeMetrics,
  )
  const comparisons = startComparisons({
    settings,
    log,
    transport,
    routing,
    evidenceKeys,
    credentials,
    recorder,
    onAsk: coreUsage.recordAsked,
    listeningUrl,
    rates: comparisonRates,
    handlersModule: comparedHandlers,
  })
  const gate = startGateEvaluator({
    db: control.db,
    routing,
    stops,
    evidenceKeys,
    fixedScopes: readFixedScopes(settings),
    limits: gateLimits,
    now,
    onPromoted: nativeMetrics.countPromotion,
    log,
  })
  return {
    counter,
    coreUsage,
    comparisons,
    async close() {
      await Promise.all([
        counter.close(),
        coreUsage.close(),
        fleet.close(),
        gate.close(),
        comparisons.close().then(() => recorder.close()),
      ])
    },
  }
}
