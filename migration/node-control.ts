import { labelsOf } from '#contracts/shared/row.ts'
import type { Database } from '#db/client/connection.ts'
import type { ControlDependencies, NodeControl } from '#gateway/node/start-node-gateway.ts'
import type { Log } from '#gateway/observability/log.ts'
import { gaugeOf } from '#gateway/observability/metric-family.ts'
import { createNativeMetrics, type NativeMetrics } from '#gateway/observability/routing-metrics.ts'
import type { PageApp } from '#gateway/pages/page-app.ts'
import type { CompletedRequest } from '#gateway/request/route-control.ts'
import { readUnavailableRoutes } from '#gateway/settings/email.ts'
import type { SingleSignOnVariables } from '#gateway/settings/single-sign-on.ts'
import type { UndiciTransport } from '#proxy/undici/transport-undici.ts'
import { runOutsideTraces } from '#shared/tracing/trace.ts'
import { createAttemptLimit } from './api/attempt-limit.ts'
import { createOperatorApi, createOperatorCalls, createOperatorEndpoints } from './api/operator-api.ts'
import type { OperatorApiOptions } from './api/operator-options.ts'
import { createConsolePages } from './console/console-pages.ts'
import { startBreakerNotices } from './control/breaker-notices.ts'
import { countVote } from './control/count-vote.ts'
import { startCoreUsage } from './control/counts/core-usage.ts'
import { startRouteCounts } from './control/counts/route-counts.ts'
import { startComparisonRecorder } from './control/evidence/comparison-recorder.ts'
import { startFleetMonitor } from './control/fleet-monitor.ts'
import { type FollowTiming, followDatabase } from './control/follow-database.ts'
import { startGateEvaluator } from './control/gate/gate-evaluator.ts'
import { createNativeGuard, type NativeGuard } from './control/guard.ts'
import { openRoutingDatabase } from './control/open-routing-database.ts'
import {
  createRoutingState,
  observeRouting,
  type RoutingState,
  readFixedScopes,
} from './control/routing-state.ts'
import { createStoredRollback } from './control/stored-rollback.ts'
import { type ComparisonRates, startComparisons } from './live/start-comparisons.ts'
import { type EvidenceKeys, selectEvidenceKeys } from './model/evidence-keys.ts'
import type { GateLimits } from './model/gate/gate-input.ts'
import { PolledDatabaseHealth } from './model/stop/database-health.ts'

/** What tests and benchmarks replace, to compress time or to compare different handlers. */
export interface ControlTuning {
  /** Replaces the guard, or wraps the default one. */
  readonly guard?: NativeGuard | ((own: NativeGuard) => NativeGuard) | undefined
  readonly routingTiming?: Partial<FollowTiming> | undefined
  readonly gateLimits?: GateLimits | undefined
  readonly comparisonRates?: Partial<ComparisonRates> | undefined
  readonly comparisonWriteMs?: number | undefined
  /** Unix time in milliseconds. Decides when overrides and drills end, and how old records are. */
  readonly now?: (() => number) | undefined
  /** A module whose handlers are compared instead of the native ones. */
  readonly comparedHandlers?: URL | undefined
}

interface NodeControlOptions extends ControlDependencies, ControlTuning {
  /** Called before the routing state is first read. If it rejects, it is called again until it resolves. */
  readonly prepareDatabase?: (() => Promise<void>) | undefined
}

/** How long a success may wait before the guard counts it. */
const countIntervalMs = 250

const createDatabaseHealth = (log: Pick<Log, 'info' | 'warn'>) =>
  new PolledDatabaseHealth({
    now: () => performance.now(),
    // Whichever request asks first notices that the state has ended.
    onChange: (database) =>
      runOutsideTraces(() =>
        database === 'normal'
          ? log.info({}, 'automatic stops resumed')
          : log.warn({ database }, 'automatic stops paused'),
      ),
  })

interface EvidenceOptions {
  readonly options: NodeControlOptions
  readonly database: Database
  readonly routing: RoutingState
  readonly guard: NativeGuard
  readonly evidenceKeys: EvidenceKeys
  readonly metrics: NativeMetrics
}

/** Starts live comparisons, and moves routes based on their evidence. Needs a core. */
const collectEvidence = (
  transport: UndiciTransport,
  { options, database, routing, guard, evidenceKeys, metrics }: EvidenceOptions,
) => {
  const { settings, log, instanceId, credentials, listeningUrl } = options
  const recorded = { db: database.db, instanceId, log }
  const usage = startCoreUsage(recorded)
  const fleet = startFleetMonitor({ ...recorded, guard })
  const breakers = startBreakerNotices({
    db: database.db,
    listOpen: () => [...(transport.breakerState() === 'closed' ? [] : ['core']), ...guard.listUntried()],
    log,
  })
  const recorder = startComparisonRecorder({
    ...recorded,
    writeIntervalMs: options.comparisonWriteMs,
    onCounted: metrics.countComparison,
  })
  const { close: closeComparisons, ...comparisons } = startComparisons({
    settings,
    log,
    transport,
    routing,
    evidenceKeys,
    credentials,
    recorder,
    onAsk: usage.recordAsked,
    listeningUrl,
    rates: options.comparisonRates,
    handlersModule: options.comparedHandlers,
  })
  const gate = startGateEvaluator({
    db: database.db,
    routing,
    guard,
    evidenceKeys,
    fixedScopes: readFixedScopes(settings),
    limits: options.gateLimits,
    now: options.now,
    onPromoted: metrics.countPromotion,
    log,
  })
  return {
    comparisons,
    ended: ({ context, status }: CompletedRequest) => usage.record(context, status),
    close: () =>
      Promise.all([
        usage.close(),
        fleet.close(),
        breakers.close(),
        gate.close(),
        closeComparisons().then(() => recorder.close()),
      ]),
  }
}

const createRestoreFamily = (routing: RoutingState) =>
  gaugeOf(
    'crossfade_routing_restored',
    '1 once the database has been restored from an older backup, until an operator accepts the restore.',
    () => (routing.stored()?.isRestored ? 1 : 0),
  )

const createOperatorPages = (
  options: OperatorApiOptions & { readonly settings: SingleSignOnVariables },
): readonly PageApp[] => {
  const { listOperators, settings, database, log } = options
  const endpoints = createOperatorEndpoints(options)
  // The API and the console share one limit, so a guess at one counts for both.
  const attempts = createAttemptLimit()
  return [
    createOperatorApi(endpoints, { listOperators, attempts }),
    createConsolePages({
      listOperators,
      attempts,
      database,
      log,
      secret: settings.GATEWAY_SECRET,
      singleSignOn: settings,
      callApi: createOperatorCalls(endpoints),
    }),
  ]
}

/**
 * Starts the route control, which follows stored states, protects users from failing routes, records evidence and
 * promotes routes based on it. Without a core, it only counts requests. Resolves once the states have been read or a
 * time limit has passed, because native must not serve a killed route even once.
 */
export const startNodeControl = async (options: NodeControlOptions): Promise<NodeControl> => {
  const { settings, log, build, instanceId, handlers, transport } = options
  const database = openRoutingDatabase(settings, {
    applicationName: 'crossfade-control',
    connections: 3,
    statementTimeoutMs: 2000,
  })
  // Operators' reads have their own connections, so that even slow ones never delay a kill.
  const reads = openRoutingDatabase(settings, {
    applicationName: 'crossfade-operators',
    connections: 2,
    statementTimeoutMs: 2000,
    // Longer than usual, because the first read has to connect and opening a page starts many reads.
    connectTimeoutMs: 3000,
  })
  const handled = labelsOf(handlers)
  const unavailable = readUnavailableRoutes(settings)
  const evidenceKeys = selectEvidenceKeys(build, handlers, unavailable)
  const routing = createRoutingState({ settings, handled, log, now: options.now })
  const health = createDatabaseHealth(log)
  const metrics = createNativeMetrics()
  const openGuard = () =>
    createNativeGuard({
      steps: new Map(),
      evidenceKeys,
      stored: createStoredRollback(database, evidenceKeys),
      health,
      countIntervalMs,
      log,
      onStopped: ({ label, cause, observer }) => metrics.countStop(label, cause, observer),
    })
  const { guard: given } = options
  const guard = typeof given === 'function' ? given(openGuard()) : (given ?? openGuard())
  const following = await followDatabase({
    settings,
    state: routing,
    build: { id: build.id, keys: evidenceKeys },
    instanceId,
    log,
    timing: options.routingTiming,
    prepare: options.prepareDatabase,
    onPoll: (durationMs, hasFailed) => health.recordPoll(durationMs, hasFailed),
  })
  observeRouting({ settings, handled, routing, guard })
  const counts = startRouteCounts({ db: database.db, instanceId, log })
  const core =
    transport && collectEvidence(transport, { options, database, routing, guard, evidenceKeys, metrics })
  return {
    current: routing.current,
    refreshed: () => following.waitUntilFresh() ?? undefined,
    mayTryNative: guard.mayTryNative,
    listUntried: guard.listUntried,
    settled: guard.settled,
    ended(completed) {
      const { context, status, durationMs } = completed
      counts.record(context.outcome.label, context.outcome.runtime, status, durationMs)
      countVote(guard, completed)
      core?.ended(completed)
    },
    ...core?.comparisons,
    families: [...metrics.families, createRestoreFamily(routing)],
    database,
    operatorPages: createOperatorPages({
      listOperators: () => settings.OPERATORS,
      database: { db: database.db, reader: reads.reader },
      log,
      settings,
      evidenceKeys,
      unavailable,
      routing,
      guard,
      gateLimits: options.gateLimits,
      now: options.now,
    }),
    async close() {
      await Promise.all([following.close(), counts.close(), core?.close()])
      guard.close()
      await Promise.all([database.close(), reads.close()])
    },
  }
}
