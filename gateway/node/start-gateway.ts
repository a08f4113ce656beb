import { labelsOf } from '#contracts/shared/row.ts'
import { openDatabase } from '#db/client/connection.ts'
import { readOwnBuild } from '#migration/evidence/own-build.ts'
import { handlers as nativeHandlers } from '#native-routes/index.ts'
import { type BodyProgressLimits, defaultBodyProgressLimits } from '#proxy/body-progress.ts'
import { createUndiciTransport } from '#proxy/undici/transport-undici.ts'
import { waitForAll } from '#shared/wait-for-all.ts'
import { createPromRegistry } from '../adapters/metrics-prom-client.ts'
import { composeGateway, defaultNativeTimeoutMs, readCoreOptions } from '../app/compose-gateway.ts'
import type { GatewayMiddleware } from '../app/middleware.ts'
import { type BodyBudget, createBodyBudget } from '../edge/body-budget.ts'
import { createBreakerLog } from '../observability/breakers.ts'
import { buildFamily } from '../observability/build-metrics.ts'
import { createCoreFamilies } from '../observability/core-metrics.ts'
import { createDatabaseFamilies } from '../observability/database-metrics.ts'
import { createDominantClientWarning } from '../observability/dominant-client.ts'
import type { RequestLog } from '../observability/log.ts'
import { createEventQueueFamily } from '../observability/metrics.ts'
import { createNativeMetrics } from '../observability/native-metrics.ts'
import { type ProcessState, readDatabaseState, readGatewayStates } from '../observability/readiness.ts'
import { shareRecent } from '../observability/share-recent.ts'
import { createDocsPages } from '../pages/docs-page.ts'
import { loadDescription } from '../pages/openapi/load-description.ts'
import { createNativeSide } from '../pipeline/native-side.ts'
import type { HandlersByLabel } from '../pipeline/run-route.ts'
import { createPorts } from '../ports/create-ports.ts'
import { openModel } from '../ports/open-model.ts'
import { createSharingPorts } from '../ports/sharing-ports.ts'
import { createTracedLog } from '../ports/traced-log.ts'
import { combineBreakers } from '../request/native-stops.ts'
import { createRouteBreaker, type RouteBreaker } from '../request/route-breaker.ts'
import { createDatabaseHealth } from '../routing/database-health.ts'
import { type FollowTiming, followDatabase } from '../routing/follow-database.ts'
import { observeRouting } from '../routing/observe-routing.ts'
import { createRoutingState } from '../routing/routing-state.ts'
import { selectEvidenceKeys } from '../routing/select-evidence-keys.ts'
import { createStopMonitor, type StopMonitor } from '../routing/stop-monitor.ts'
import { createStoredRollback } from '../routing/stored-rollback.ts'
import { formatListeningUrl } from '../settings/listening-address.ts'
import type { Settings } from '../settings/settings.ts'
import { readUnavailableRoutes } from '../settings/unavailable-routes.ts'
import { createConnectionFamilies } from './client-connections.ts'
import type { ListenerName, ProcessGroup } from './group/process-group.ts'
import { createProcessFamilies } from './group/process-metrics.ts'
import { listenInGroup, shareWithGroup } from './group/share-with-group.ts'
import { createEdgeServer } from './http-server.ts'
import { listenOrThrow } from './listen-error.ts'
import { createNodeListener } from './listener.ts'
import { openControlDatabase } from './open/open-control-database.ts'
import { openLimitStore, startRefundingUses } from './open/open-limits.ts'
import { lastExportTimeoutMs, openTracing } from './open/open-tracing.ts'
import { sharePool } from './open/pool-share.ts'
import { createOperatorPages } from './operator-pages.ts'
import { startAdmin } from './start-admin.ts'
import { type ObserverOptions, startObservers } from './start-observers.ts'

export interface StartOptions extends ObserverOptions {
  readonly settings: Settings
  readonly log: RequestLog
  /** Under which this instance reports itself; the log of a process has it. */
  readonly instanceId?: string
  /** Absent if this process is the whole gateway. */
  readonly group?: ProcessGroup | undefined
  readonly handlers?: HandlersByLabel
  /** How long a native route may take before it counts as failed. */
  readonly nativeTimeoutMs?: number
  readonly routeBreaker?: RouteBreaker
  readonly stops?: StopMonitor
  readonly bodyBudget?: BodyBudget
  /** How slowly a client may send a body. */
  readonly bodyProgress?: BodyProgressLimits
  readonly routingTiming?: Partial<FollowTiming>
  /** Called, until it resolves, before the routing state is first read. */
  readonly prepareDatabase?: (() => Promise<void>) | undefined
  /** Replaces the middleware of `app/middleware.ts`. */
  readonly middleware?: readonly GatewayMiddleware[]
}

export interface RunningGateway {
  readonly url: string
  /** The address of the admin listener; null if it is off. */
  readonly adminUrl: string | null
  /**
   * Makes every response close its connection, and `/readyz` return 503 unless another process serves in the place of this
   * one; new requests are still served.
   */
  drain(options?: { readonly isReplaced: boolean }): void
  /** Completes active requests for at most `drainTimeoutMs`, by default `DRAIN_MS`, then closes all connections. */
  close(drainTimeoutMs?: number): Promise<void>
}

/** Starts the gateway on Node: the HTTP server and its connections to the database and the core. */
export const startGateway = async ({
  settings,
  log,
  instanceId = crypto.randomUUID(),
  group,
  handlers = nativeHandlers,
  nativeTimeoutMs = defaultNativeTimeoutMs,
  routeBreaker = createRouteBreaker({ onChange: createBreakerLog(log) }),
  stops: givenStops,
  bodyBudget,
  bodyProgress = defaultBodyProgressLimits,
  routingTiming,
  prepareDatabase,
  middleware,
  ...observed
}: StartOptions): Promise<RunningGateway> => {
  const build = readOwnBuild()
  const tracer = await openTracing(settings, { serviceName: 'crossfade-gateway', instanceId, log })
  const database = openDatabase(settings.DATABASE_URL, {
    ca: settings.DATABASE_CA,
    prepare: settings.DATABASE_PREPARE,
    connections: sharePool(settings.DATABASE_POOL_SIZE, group?.size ?? 1),
  })
  const control = openControlDatabase(settings)
  const core = readCoreOptions(settings, log)
  const unavailable = readUnavailableRoutes(settings)
  const evidenceKeys = selectEvidenceKeys(build, handlers, unavailable)
  const handled = labelsOf(handlers)
  const routing = createRoutingState({ settings, handled, log, now: observed.now })
  const stored = createStoredRollback(control, evidenceKeys)
  const health = createDatabaseHealth(log)
  const nativeMetrics = createNativeMetrics()
  const stops =
    givenStops ??
    createStopMonitor({
      steps: new Map(),
      evidenceKeys,
      stored,
      health,
      log,
      onStopped: ({ label, cause, observer }) => nativeMetrics.countStop(label, cause, observer),
    })
  const onDominantClient = createDominantClientWarning(log)
  const transport = core && createUndiciTransport({ ...core, bodyProgress, onDominantClient })
  const processState: ProcessState = { phase: 'starting' }
  const breakers = combineBreakers(stops, routeBreaker)
  const readStates = shareRecent(() =>
    readGatewayStates({
      readDatabaseState: () => readDatabaseState(database),
      transport,
      routeBreaker: breakers,
      routing,
    }),
  )
  const limits = await openLimitStore(settings, database, log)
  // Before the port is opened: a route that is killed must not be served natively even once.
  const following = await followDatabase({
    settings,
    state: routing,
    build: { id: build.id, keys: evidenceKeys },
    instanceId,
    log,
    timing: routingTiming,
    prepare: prepareDatabase,
    onPoll: (durationMs, hasFailed) => health.recordPoll(durationMs, hasFailed),
  })
  const own = { registry: createPromRegistry(), readiness: { processState, readStates } }
  const { registry, readiness } = group ? shareWithGroup(group, own, instanceId) : own
  const composed = composeGateway({
    settings,
    log,
    build,
    registry,
    handled,
    nativeTimeoutMs,
    readiness,
    routeBreaker,
    stops,
    coreBreaker: core?.breaker ?? null,
    routing,
    waitUntilFresh: following.waitUntilFresh,
    loadDescription,
    platformPages: [createDocsPages()],
    operatorPages: createOperatorPages({
      operators: settings.OPERATORS,
      database: control,
      log,
      settings,
      evidenceKeys,
      unavailable,
      routing,
      stops,
      routeBreaker,
      gateLimits: observed.gateLimits,
      now: observed.now,
    }),
    adminAccess: 'own-listener',
    bodyBudget: bodyBudget ?? createBodyBudget(settings.BODY_MEMORY_BYTES, onDominantClient),
    ...(middleware ? { middleware } : {}),
  })
  const { metrics, sharingState: state, adminPages } = composed
  observeRouting({ settings, handled, routing, stops })
  const sharing = createSharingPorts({ database, settings, log, metrics, state, limitStore: limits.store })
  const refundAllUses = startRefundingUses(sharing.limits)
  let url = ''
  const observers = startObservers({
    ...observed,
    settings,
    log,
    control,
    instanceId,
    transport,
    routing,
    stops,
    evidenceKeys,
    nativeMetrics,
    credentials: composed.credentials,
    listeningUrl: () => url,
  })
  const listener = createNodeListener({
    ...composed,
    counter: observers.counter,
    coreUsage: observers.coreUsage,
    comparisons: observers.comparisons,
    tracer,
    transport,
    bodyProgress,
    native: createNativeSide(handlers, composed.nativeDependencies),
    ports: createPorts(
      database,
      settings,
      createTracedLog(log),
      () => settings.PUBLIC_BASE_URL ?? url,
      sharing,
      await openModel(settings),
    ),
  })
  const edge = createEdgeServer(listener)
  registry.register([
    buildFamily(build.id, process.versions.node),
    ...createConnectionFamilies(edge.server),
    ...createDatabaseFamilies({ requests: database, control }),
    ...(transport ? createCoreFamilies(transport.usage) : []),
    ...nativeMetrics.families,
    createEventQueueFamily(sharing.events.countWaiting),
    ...createProcessFamilies(group?.size ?? 1),
  ])
  const closeDependencies = async () => {
    await Promise.all([sharing.events.close(), refundAllUses(), following.close(), observers.close()])
    limits.close()
    stops.close()
    const closingTracer = tracer?.close(lastExportTimeoutMs)
    await waitForAll([transport?.close(), database.close(), control.close(), closingTracer])
  }
  const listenFor = (listener: ListenerName) => (group ? listenInGroup(group, listener) : listenOrThrow)
  const listen = async () => {
    const { HOST: host, PORT: port } = settings
    // First, because clients must not reach an instance that fails to start.
    const admin = await startAdmin({
      pages: adminPages,
      log,
      host: settings.ADMIN_HOST,
      port: settings.ADMIN_PORT,
      portSetting: 'ADMIN_PORT',
      listen: listenFor('ADMIN_PORT'),
    })
    try {
      const boundPort = await listenFor('PORT')(edge, {
        host,
        port,
        settings: { host: 'HOST', port: 'PORT' },
      })
      url = formatListeningUrl(host, boundPort)
      return admin
    } catch (error) {
      await admin.close()
      throw error
    }
  }
  const admin = await listen().catch(async (error) => {
    await closeDependencies()
    throw error
  })
  processState.phase = 'ready'

  const drain = ({ isReplaced } = { isReplaced: false }) => {
    // A signal that follows ends the gateway as a whole.
    if (processState.phase !== 'draining') processState.phase = isReplaced ? 'replaced' : 'draining'
    edge.drain()
  }
  return {
    url,
    adminUrl: admin.url,
    drain,
    async close(drainTimeoutMs = settings.DRAIN_MS) {
      if (processState.phase === 'ready') drain()
      await edge.close(drainTimeoutMs)
      await closeDependencies()
      // Last, so that operators can read the metrics until then.
      await admin.close()
    },
  }
}
