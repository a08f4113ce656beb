import { labelsOf } from '#contracts/shared/row.ts'
import { type Database, openDatabase } from '#db/client/connection.ts'
import type { BuildIdentity } from '#migration/model/evidence-keys.ts'
import { handlers as nativeHandlers } from '#native-routes/index.ts'
import { type BodyProgressLimits, defaultBodyProgressLimits } from '#proxy/body-progress.ts'
import { createCorePool } from '#proxy/undici/core-pool.ts'
import type { UndiciTransport } from '#proxy/undici/transport-undici.ts'
import { shareRecent } from '#shared/share-recent.ts'
import { waitForAll } from '#shared/wait-for-all.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import { createPorts } from '../adapters/create-ports.ts'
import {
  composeGateway,
  createCredentials,
  defaultNativeTimeoutMs,
  readCoreOptions,
} from '../app/compose-gateway.ts'
import type { MountMiddleware } from '../app/middleware.ts'
import { type BodyBudget, createBodyBudget } from '../edge/body-budget.ts'
import {
  createCoreFamilies,
  createDatabaseFamilies,
  createEndpointFamilies,
  createLossFamilies,
} from '../observability/dependency-metrics.ts'
import { createDominantClientWarning, createEndpointLog, type Log } from '../observability/log.ts'
import { readLostLines } from '../observability/log-pino.ts'
import type { MetricFamily } from '../observability/metric-family.ts'
import { createEventQueueFamily, timerFamily } from '../observability/metrics.ts'
import { buildFamily, createPromRegistry } from '../observability/metrics-prom-client.ts'
import { type ProcessState, readDatabaseState, readGatewayStates } from '../observability/readiness.ts'
import { loadDescription } from '../openapi/load-description.ts'
import { createDocsPages } from '../pages/docs-page.ts'
import type { PageApp } from '../pages/page-app.ts'
import type { Credentials } from '../pipeline/authenticate.ts'
import type { HandlersByLabel } from '../pipeline/run-route.ts'
import { createNativeSide } from '../pipeline/serve-native.ts'
import type { RouteControl } from '../request/route-control.ts'
import { formatListeningUrl } from '../settings/listeners.ts'
import type { Settings } from '../settings/settings.ts'
import { startAdmin } from './admin-listener.ts'
import { createConnectionFamilies, reserveFiles } from './connections.ts'
import { createEdgeServer } from './http-server.ts'
import { listenOrThrow } from './listen-error.ts'
import {
  lastExportTimeoutMs,
  openLimitStore,
  openMetricExport,
  openModel,
  openTracing,
  startRefundingUses,
} from './open-dependencies.ts'
import { createNodeListener } from './platform.ts'
import { type WarmUpState, warmUp } from './warm-up.ts'

/** How long a start waits for the database and the issuer. Even without them, the gateway can forward requests. */
const maxConnectMs = 1000

export interface ControlDependencies {
  readonly settings: Settings
  readonly log: Log
  readonly build: BuildIdentity
  readonly instanceId: string
  readonly handlers: HandlersByLabel
  readonly transport: UndiciTransport | null
  readonly credentials: Credentials
  /** The service's base URL unless `PUBLIC_BASE_URL` is set. */
  readonly listeningUrl: () => string
}

export interface NodeControl extends RouteControl {
  /** Pages of the admin listener that authenticate operators themselves. */
  readonly operatorPages?: readonly PageApp[]
  readonly families?: readonly MetricFamily[]
  /** Separate, so operators can still kill a route when clients have exhausted the requests' pool. */
  readonly database?: Database
}

export interface NodeGatewayOptions {
  readonly settings: Settings
  readonly log: Log
  readonly build: BuildIdentity
  /** Resolves once the routes' states are known, or could not be read for a while. */
  readonly startControl: (dependencies: ControlDependencies) => Promise<NodeControl>
  readonly instanceId?: string
  readonly handlers?: HandlersByLabel
  readonly nativeTimeoutMs?: number
  readonly bodyBudget?: BodyBudget
  readonly bodyProgress?: BodyProgressLimits
  /** Replaces what `app/middleware.ts` mounts. */
  readonly mountMiddleware?: MountMiddleware
  /** Replaces the page at `/`. */
  readonly homePage?: PageApp | undefined
  /** Whether the gateway sends requests to itself before it listens. Needs a migrated database. */
  readonly warmsUp?: boolean
}

export interface RunningGateway {
  readonly url: string
  readonly adminUrl: string | null
  /** Makes every response close its connection, and `/readyz` return 503. New requests are still served. */
  drain(): void
  /** Finishes active requests for at most `drainTimeoutMs` (default `DRAIN_MS`), then closes all connections. */
  close(drainTimeoutMs?: number): Promise<void>
}

export const startNodeGateway = async (options: NodeGatewayOptions): Promise<RunningGateway> => {
  const { settings, log, build, mountMiddleware, homePage } = options
  const { instanceId = crypto.randomUUID(), handlers = nativeHandlers } = options
  const { nativeTimeoutMs = defaultNativeTimeoutMs, bodyProgress = defaultBodyProgressLimits } = options
  const observed = { serviceName: 'crossfade-gateway', instanceId, log }
  const tracer = await openTracing(settings, observed)
  const database = openDatabase(settings.DATABASE_URL, {
    ca: settings.DATABASE_CA,
    prepare: settings.DATABASE_PREPARE,
    connections: settings.DATABASE_POOL_SIZE,
    onLimited: (reason, connections) => log.warn({ reason, connections }, 'database connections limited'),
  })
  const core = readCoreOptions(settings, log)
  const onDominantClient = createDominantClientWarning(log)
  const coreOptions = core && { ...core, ...createEndpointLog(log), bodyProgress, onDominantClient }
  const transport = coreOptions && createCorePool(coreOptions)
  const warmUpState: WarmUpState = { transport: null }
  const processState: ProcessState = { phase: 'starting' }
  const credentials = createCredentials(settings)
  // The first requests need a database connection and the issuer's keys. Both are usually ready by the time the routing
  // state has been read.
  const connected = Promise.all([database.isReachable(), credentials.tokens.fetchKeys()])
  const limitStore = await openLimitStore(settings, database, log)
  let url = ''
  // The control starts before the listener, because a killed route must not be served natively even once.
  const control = await options.startControl({
    settings,
    log,
    build,
    instanceId,
    handlers,
    transport,
    credentials,
    listeningUrl: () => url,
  })
  const readStates = shareRecent(() =>
    readGatewayStates({ readDatabaseState: () => readDatabaseState(database), transport, control }),
  )
  const registry = createPromRegistry()
  const composed = composeGateway({
    settings,
    log,
    build,
    registry,
    handled: labelsOf(handlers),
    nativeTimeoutMs,
    readiness: { processState, readStates },
    control,
    coreBreaker: transport && { state: transport.breakerState },
    credentials,
    loadDescription,
    platformPages: [createDocsPages()],
    homePage,
    operatorPages: control.operatorPages ?? [],
    adminAccess: 'own-listener',
    bodyBudget: options.bodyBudget ?? createBodyBudget(settings.BODY_MEMORY_BYTES, onDominantClient),
    mountMiddleware,
  })
  const ports = createPorts({
    database,
    settings,
    log,
    metrics: composed.metrics,
    state: composed.portState,
    limitStore,
    model: await openModel(settings),
    publicBaseUrl: () => settings.PUBLIC_BASE_URL ?? url,
  })
  const refundAllUses = startRefundingUses(ports.limits)
  const listener = createNodeListener({
    ...composed,
    tracer,
    transport,
    warmUp: warmUpState,
    bodyProgress,
    native: createNativeSide(handlers, composed.nativeDependencies),
    ports,
  })
  const edge = createEdgeServer(listener)
  await withTimeout(maxConnectMs, connected, () => {})
  // Middleware may count requests, and must not see those of a warm-up.
  if (options.warmsUp && coreOptions && !composed.app.hasMiddleware)
    await warmUp(edge.server, warmUpState, (url) =>
      createCorePool({ ...coreOptions, coreBaseUrls: [url], connection: {} }),
    )
  reserveFiles(edge.server)
  const metricExport = await openMetricExport(settings, registry, observed)
  registry.register([
    buildFamily(build.id, process.versions.node),
    ...createLossFamilies(readLostLines, tracer, metricExport),
    ...createConnectionFamilies(edge.server),
    ...createDatabaseFamilies({
      requests: database,
      ...(control.database ? { control: control.database } : {}),
    }),
    ...(transport ? [...createCoreFamilies(transport.readings), ...createEndpointFamilies(transport)] : []),
    ...(control.families ?? []),
    createEventQueueFamily(ports.events.countWaiting),
    timerFamily,
  ])
  const closeDependencies = async () => {
    await Promise.all([ports.events.close(), refundAllUses(), control.close()])
    limitStore.close?.()
    const exported = [tracer?.close(lastExportTimeoutMs), metricExport?.close(lastExportTimeoutMs)]
    await waitForAll([transport?.close(), database.close(), ...exported])
  }
  const listen = async () => {
    const { HOST: host, PORT: port } = settings
    // The admin listener starts first, so no client reaches an instance that then fails to start.
    const admin = await startAdmin({
      pages: composed.adminPages,
      log,
      host: settings.ADMIN_HOST,
      proxiedUrl: settings.CONSOLE_URL,
      port: settings.ADMIN_PORT,
      portSetting: 'ADMIN_PORT',
    })
    try {
      const boundPort = await listenOrThrow(edge, { host, port, settings: { host: 'HOST', port: 'PORT' } })
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

  const drain = () => {
    processState.phase = 'draining'
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
      // The admin listener closes last, so operators can read metrics until then.
      await admin.close()
    },
  }
}
