import { openDatabase } from '#db/connection.ts'
import { handlers as nativeHandlers } from '#native-routes/index.ts'
import { createUndiciTransport, type UndiciTransport } from '#proxy/transport-undici.ts'
import { trustedProxies } from '#proxy/trusted-proxies.ts'
import { viaPseudonym } from '#proxy/via.ts'
import { createCors } from './cors.ts'
import { createGateway } from './create-gateway.ts'
import { createPorts } from './create-ports.ts'
import { createEdgeServer } from './edge/http-server.ts'
import type { Log } from './log.ts'
import { createMetrics } from './metrics.ts'
import type { HandlersByLabel } from './native.ts'
import { createNodeListener } from './node-listener.ts'
import { createTokenVerifier } from './pipeline/verify-token.ts'
import type { Readiness } from './readiness.ts'
import type { Settings } from './settings.ts'

export interface StartOptions {
  readonly settings: Settings
  readonly log: Log
  readonly handlers?: HandlersByLabel
  /** How long a native route may take before it counts as failed. */
  readonly nativeTimeoutMs?: number
}

export interface RunningGateway {
  readonly url: string
  /** Turns `/readyz` to 503 and lets every connection end with its answer, while new requests are still served. */
  drain(): void
  /** Answers what is under way, at most for `graceMs`, then lets go of everything. */
  close(graceMs?: number): Promise<void>
}

const usualNativeTimeoutMs = 10_000
const usualGraceMs = 10_000

const openTransport = async ({ CORE_BASE_URL, CORE_TIMEOUT_MS, GATEWAY_SECRET }: Settings) =>
  CORE_BASE_URL === null
    ? null
    : createUndiciTransport({
        coreBaseUrl: CORE_BASE_URL,
        timeoutMs: CORE_TIMEOUT_MS,
        viaPseudonym: await viaPseudonym(GATEWAY_SECRET),
      })

const coreState = (transport: UndiciTransport | null) =>
  transport === null ? 'none' : transport.breakerState() === 'open' ? 'down' : 'up'

/** Starts the gateway on Node: the HTTP server, the connections to the database and to the core. */
export const startGateway = async ({
  settings,
  log,
  handlers = nativeHandlers,
  nativeTimeoutMs = usualNativeTimeoutMs,
}: StartOptions): Promise<RunningGateway> => {
  const database = openDatabase(settings.DATABASE_URL)
  const transport = await openTransport(settings)
  const cors = createCors(settings.CORS_ORIGINS)
  const metrics = createMetrics()
  const readiness: Readiness = {
    phase: 'starting',
    database: async () => ((await database.isReachable()) ? 'up' : 'down'),
    core: () => coreState(transport),
  }
  const gateway = createGateway({
    handlers,
    credentials: {
      verifyToken: createTokenVerifier({
        issuer: settings.AUTH_ISSUER,
        audience: settings.AUTH_AUDIENCE,
        jwksUrl: settings.AUTH_JWKS_URL,
      }),
      internalToken: settings.INTERNAL_TOKEN,
    },
    log,
    cors,
    metrics,
    readiness,
    hasCore: transport !== null,
    nativeTimeoutMs,
  })
  const listener = createNodeListener({
    gateway,
    transport,
    ports: createPorts(database, settings.BILLING_PLANS, log),
    trusted: trustedProxies(settings.TRUSTED_PROXIES),
    cors,
    metrics,
    log,
    bodyLimitBytes: settings.BODY_LIMIT_BYTES,
  })
  const edge = createEdgeServer(listener)
  const port = await edge.listen(settings.PORT, settings.HOST)
  readiness.phase = 'ready'

  const drain = () => {
    readiness.phase = 'draining'
    edge.drain()
  }
  return {
    url: `http://${settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST}:${port}`,
    drain,
    async close(graceMs = usualGraceMs) {
      drain()
      await edge.close(graceMs)
      await Promise.all([transport?.close(), database.close()])
    },
  }
}
