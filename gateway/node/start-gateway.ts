import { openDatabase } from '#db/client/connection.ts'
import { handlers as nativeHandlers } from '#native-routes/index.ts'
import { type BodyProgressLimits, defaultBodyProgressLimits } from '#proxy/body-progress.ts'
import { createUndiciTransport } from '#proxy/undici/transport-undici.ts'
import { composeGateway, defaultNativeTimeoutMs, readCoreOptions } from '../app/compose-gateway.ts'
import type { GatewayMiddleware } from '../app/middleware.ts'
import { type BodyBudget, createBodyBudget } from '../edge/body-budget.ts'
import type { Log } from '../observability/log.ts'
import { type Readiness, reportCoreState, reportDatabaseState } from '../observability/readiness.ts'
import { createDocsPages } from '../pages/docs-page.ts'
import type { HandlersByLabel } from '../pipeline/run-route.ts'
import { createPorts } from '../ports/create-ports.ts'
import { createSharingPorts } from '../ports/sharing-ports.ts'
import { createRouteBreaker, type RouteBreaker } from '../request/route-breaker.ts'
import { formatListeningUrl } from '../settings/listening-address.ts'
import type { Settings } from '../settings/settings.ts'
import { createEdgeServer } from './http-server.ts'
import { createNodeListener } from './listener.ts'

export interface StartOptions {
  readonly settings: Settings
  readonly log: Log
  readonly handlers?: HandlersByLabel
  /** How long a native route may take before it counts as failed. */
  readonly nativeTimeoutMs?: number
  readonly routeBreaker?: RouteBreaker
  readonly bodyBudget?: BodyBudget
  /** How slowly a client may send a body. */
  readonly bodyProgress?: BodyProgressLimits
  /** Replaces the middleware of `app/middleware.ts`. */
  readonly middleware?: readonly GatewayMiddleware[]
}

export interface RunningGateway {
  readonly url: string
  /** Makes `/readyz` return 503 and every response close its connection; new requests are still served. */
  drain(): void
  /** Completes active requests for at most `drainTimeoutMs`, then closes all connections. */
  close(drainTimeoutMs?: number): Promise<void>
}

const defaultDrainTimeoutMs = 10_000

/** Starts the gateway on Node: the HTTP server and its connections to the database and the core. */
export const startGateway = async ({
  settings,
  log,
  handlers = nativeHandlers,
  nativeTimeoutMs = defaultNativeTimeoutMs,
  routeBreaker = createRouteBreaker(),
  bodyBudget = createBodyBudget(settings.BODY_MEMORY_BYTES),
  bodyProgress = defaultBodyProgressLimits,
  middleware,
}: StartOptions): Promise<RunningGateway> => {
  const database = openDatabase(settings.DATABASE_URL, { ca: settings.DATABASE_CA })
  const core = readCoreOptions(settings)
  const transport = core && createUndiciTransport({ ...core, bodyProgress })
  const readiness: Readiness = {
    phase: 'starting',
    database: () => reportDatabaseState(database),
    core: () => reportCoreState(transport),
  }
  const composed = composeGateway({
    settings,
    log,
    handlers,
    nativeTimeoutMs,
    readiness,
    routeBreaker,
    platformPages: [createDocsPages()],
    bodyBudget,
    ...(middleware ? { middleware } : {}),
  })
  const { metrics, sharingState: state } = composed
  const sharing = createSharingPorts({ database, settings, log, metrics, state })
  let url = ''
  const listener = createNodeListener({
    ...composed,
    transport,
    bodyProgress,
    ports: createPorts(database, settings, log, () => settings.PUBLIC_BASE_URL ?? url, sharing),
  })
  const edge = createEdgeServer(listener)
  const port = await edge.listen(settings.PORT, settings.HOST)
  url = formatListeningUrl(settings.HOST, port)
  readiness.phase = 'ready'

  const drain = () => {
    readiness.phase = 'draining'
    edge.drain()
  }
  return {
    url,
    drain,
    async close(drainTimeoutMs = defaultDrainTimeoutMs) {
      drain()
      await edge.close(drainTimeoutMs)
      await sharing.events.close()
      await Promise.all([transport?.close(), database.close()])
    },
  }
}
