import type { Label } from '#contracts/route-table.ts'
import type { BuildIdentity } from '#migration/evidence/evidence-key.ts'
import { isTwoSided } from '#migration/routing/route-scope.ts'
import { type CircuitBreaker, createCircuitBreaker } from '#proxy/circuit-breaker.ts'
import { parseTrustedProxies } from '#proxy/headers/trusted-proxies.ts'
import { createViaPseudonym } from '#proxy/headers/via.ts'
import type { BodyBudget } from '../edge/body-budget.ts'
import { createBreakerFamilies, createBreakerLog } from '../observability/breakers.ts'
import type { Log, RequestLog } from '../observability/log.ts'
import type { MetricsRegistry } from '../observability/metric-family.ts'
import { createMetrics } from '../observability/metrics.ts'
import { createRateLimitFamilies } from '../observability/rate-limit-metrics.ts'
import type { Readiness } from '../observability/readiness.ts'
import { createRoutingFamilies } from '../observability/routing-metrics.ts'
import { createAdminPages } from '../pages/admin-pages.ts'
import { createBuildPage } from '../pages/build-page.ts'
import { createDescriptionPage, type LoadDescription } from '../pages/description-page.ts'
import { createTokenGuard } from '../pages/guard-with-token.ts'
import type { PageApp, PageBindings } from '../pages/page-app.ts'
import { createPublicPages } from '../pages/public-pages.ts'
import type { NativeSideDependencies } from '../pipeline/native-side.ts'
import { createTokenVerifier } from '../pipeline/verify-token.ts'
import { createAccountNames } from '../ports/account-names.ts'
import { createSharingState } from '../ports/sharing-state.ts'
import { createCors } from '../request/cors.ts'
import { describeRoutes } from '../request/describe-routes.ts'
import { combineBreakers, type NativeStops } from '../request/native-stops.ts'
import type { RouteBreaker } from '../request/route-breaker.ts'
import type { RoutingPort } from '../request/routing-port.ts'
import type { Settings } from '../settings/settings.ts'
import { createApp } from './create-app.ts'
import { type GatewayMiddleware, middleware as mountedMiddleware } from './middleware.ts'

/** How long a native route may take before it counts as failed. */
export const defaultNativeTimeoutMs = 10_000

interface ComposeOptions {
  readonly settings: Settings
  readonly log: RequestLog
  /** The code that runs. */
  readonly build: BuildIdentity
  /** Formats the metrics; the platform adds its own. */
  readonly registry: MetricsRegistry
  /** The labels with a native handler. */
  readonly handled: readonly Label[]
  readonly nativeTimeoutMs: number
  readonly readiness: Readiness
  readonly routeBreaker: RouteBreaker
  readonly stops: NativeStops
  /** Null if no core is configured. */
  readonly coreBreaker: CircuitBreaker | null
  readonly routing: RoutingPort
  /** Before a request that native may serve is decided; absent where requests read the state themselves. */
  readonly waitUntilFresh?: () => Promise<void> | null
  /** Loads the API description when it is first read. */
  readonly loadDescription: LoadDescription
  readonly platformPages: readonly PageApp[]
  /** Pages of the admin listener that authenticate operators themselves. */
  readonly operatorPages?: readonly PageApp[]
  /** Where operators read the admin pages: on a listener of their own, or here with the internal token. */
  readonly adminAccess: 'own-listener' | 'internal-token'
  /** Shared by all requests of the process or isolate. */
  readonly bodyBudget: BodyBudget
  readonly middleware?: readonly GatewayMiddleware[]
  /** Keeps work running after its response, on platforms that would otherwise cancel it. */
  readonly inBackground?: (work: Promise<unknown>) => void
}

/** Builds from the settings everything that Node and Workers have in common. */
export const composeGateway = ({
  settings,
  log,
  build,
  registry,
  handled,
  nativeTimeoutMs,
  readiness,
  routeBreaker,
  stops,
  coreBreaker,
  routing,
  waitUntilFresh = () => null,
  loadDescription,
  platformPages,
  operatorPages = [],
  adminAccess,
  bodyBudget,
  middleware = mountedMiddleware,
  inBackground,
}: ComposeOptions) => {
  const cors = createCors(settings.CORS_ORIGINS, settings.APP_ORIGIN)
  const metrics = createMetrics()
  const sharingState = createSharingState()
  const twoSided = handled.filter(isTwoSided)
  registry.register([
    ...metrics.families,
    ...createBreakerFamilies({ coreBreaker, routeBreaker: combineBreakers(stops, routeBreaker), twoSided }),
    ...createRoutingFamilies(routing.current, twoSided),
    ...createRateLimitFamilies(sharingState.limits),
  ])
  const publicPages = createPublicPages(readiness.processState, loadDescription, platformPages)
  const adminPages = createAdminPages({
    readiness,
    formatMetrics: registry.format,
    additionalPages: [
      createDescriptionPage('operators', loadDescription),
      createBuildPage(build),
      ...platformPages,
      ...operatorPages,
    ],
  })
  const { INTERNAL_TOKEN: internalToken } = settings
  const servePage =
    adminAccess === 'own-listener'
      ? (raw: Request, bindings: PageBindings) => publicPages.fetch(raw, bindings)
      : createTokenGuard({ publicPages, adminPages, internalToken })
  const auth = {
    issuer: settings.AUTH_ISSUER,
    audience: settings.AUTH_AUDIENCE,
    jwksUrl: settings.AUTH_JWKS_URL,
    clockToleranceS: settings.AUTH_CLOCK_TOLERANCE_S,
  }
  const hasCore = coreBreaker !== null
  log.info({ build: build.id, routes: describeRoutes(routing.current(), hasCore) }, 'route table loaded')
  const credentials = { tokens: createTokenVerifier(auth, { inBackground }), internalToken }
  const nativeDependencies: NativeSideDependencies = {
    nativeTimeoutMs,
    // A model may take its whole timeout, and what follows it as long as another route.
    streamTimeoutMs: settings.AI_TIMEOUT_S * 1000 + nativeTimeoutMs,
    routeBreaker,
    log,
    credentials,
    publicBaseUrl: settings.PUBLIC_BASE_URL ?? '',
    secret: settings.GATEWAY_SECRET,
    bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    bodyTimeoutMs: settings.BODY_TIMEOUT_MS,
  }
  const app = createApp({
    middleware,
    routeBreaker,
    stops,
    log,
    cors,
    credentials,
    hasCore,
    routing,
    waitUntilFresh,
    servePage,
  })
  return {
    app,
    nativeDependencies,
    adminPages,
    credentials,
    cors,
    metrics,
    log,
    nameAccount: createAccountNames(settings),
    stops,
    trusted: parseTrustedProxies(settings.TRUSTED_PROXIES),
    bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    bodyBudget,
    sharingState,
  }
}

/** What the listener of a platform requires. */
export type ComposedGateway = ReturnType<typeof composeGateway>

/** The options of the core for both transports; null if no core is configured. */
export const readCoreOptions = (settings: Settings, log: Log) => {
  const { CORE_BASE_URL, CORE_TIMEOUT_MS, CORE_PROBE_PATH, GATEWAY_SECRET } = settings
  if (CORE_BASE_URL === null) return null
  const logBreakerChange = createBreakerLog(log)
  return {
    coreBaseUrl: CORE_BASE_URL,
    timeoutMs: CORE_TIMEOUT_MS,
    probePath: CORE_PROBE_PATH,
    viaPseudonym: createViaPseudonym(GATEWAY_SECRET),
    publicBaseUrl: settings.PUBLIC_BASE_URL ?? null,
    breaker: createCircuitBreaker({
      onChange: (state, counts) => logBreakerChange('core', state, counts),
    }),
  }
}
