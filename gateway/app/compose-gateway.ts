import type { Label } from '#contracts/route-table.ts'
import { isTwoSided } from '#contracts/shared/row.ts'
import type { BuildIdentity } from '#migration/model/evidence-keys.ts'
import { type CircuitBreaker, createCircuitBreaker } from '#proxy/circuit-breaker.ts'
import { parseTrustedProxies } from '#proxy/headers/client-origin.ts'
import { createViaPseudonym } from '#proxy/headers/header-rules.ts'
import { createAccessCodeState } from '../adapters/access-codes-scrypt/access-code-state.ts'
import type { BodyBudget } from '../edge/body-budget.ts'
import { createRateLimitFamilies } from '../observability/dependency-metrics.ts'
import {
  createAccountNames,
  createCoreBreakerLog,
  createLineSelection,
  type Log,
} from '../observability/log.ts'
import type { MetricsRegistry } from '../observability/metric-family.ts'
import { createMetrics } from '../observability/metrics.ts'
import type { Readiness } from '../observability/readiness.ts'
import { createBreakerFamilies, createRoutingFamilies } from '../observability/routing-metrics.ts'
import {
  createAdminPages,
  createBuildPage,
  createPublicPages,
  createTokenGuard,
} from '../pages/compose-pages.ts'
import { createDescriptionPage, type LoadDescription } from '../pages/description-page.ts'
import { createHomePage } from '../pages/home-page.ts'
import type { PageApp, PageBindings } from '../pages/page-app.ts'
import type { Credentials } from '../pipeline/authenticate.ts'
import type { NativeSideDependencies } from '../pipeline/serve-native.ts'
import { createTokenVerifier } from '../pipeline/verify-token.ts'
import { createLimitState } from '../rate-limits/limit-state.ts'
import { createCors } from '../request/cors.ts'
import { describeRoutes } from '../request/describe-routes.ts'
import type { RouteControl } from '../request/route-control.ts'
import type { Settings } from '../settings/settings.ts'
import { createApp } from './app.ts'
import { type MountMiddleware, mountMiddleware } from './middleware.ts'
import { createObservers } from './observers.ts'

export const defaultNativeTimeoutMs = 10_000

interface ComposeOptions {
  readonly settings: Settings
  readonly log: Log
  readonly build: BuildIdentity
  readonly registry: MetricsRegistry
  readonly handled: readonly Label[]
  readonly nativeTimeoutMs: number
  readonly readiness: Readiness
  readonly control: RouteControl
  readonly coreBreaker: Pick<CircuitBreaker, 'state'> | null
  readonly credentials: Credentials
  readonly loadDescription: LoadDescription
  readonly platformPages: readonly PageApp[]
  readonly homePage?: PageApp | undefined
  readonly operatorPages?: readonly PageApp[]
  /** Where operators read the admin pages: on a separate listener, or on the public one with the internal token. */
  readonly adminAccess: 'own-listener' | 'internal-token'
  readonly bodyBudget: BodyBudget
  readonly mountMiddleware?: MountMiddleware | undefined
}

/** `inBackground` keeps work alive after the response, on platforms that would otherwise cancel it. */
export const createCredentials = (settings: Settings, inBackground?: (work: Promise<unknown>) => void) => {
  const auth = {
    issuer: settings.AUTH_ISSUER,
    audience: settings.AUTH_AUDIENCE,
    jwksUrl: settings.AUTH_JWKS_URL,
    clockToleranceS: settings.AUTH_CLOCK_TOLERANCE_S,
  }
  return {
    tokens: createTokenVerifier(auth, { inBackground }),
    // Read from the settings on each use, because the file that contains it may change.
    get internalToken() {
      return settings.INTERNAL_TOKEN
    },
  }
}

export const composeGateway = (options: ComposeOptions) => {
  const { settings, log, build, registry, handled, nativeTimeoutMs, readiness, control } = options
  const { coreBreaker, credentials, loadDescription, adminAccess, platformPages } = options
  const { homePage = createHomePage(), operatorPages = [] } = options
  const cors = createCors(settings.CORS_ORIGINS, settings.APP_ORIGIN)
  const metrics = createMetrics()
  const portState = { codes: createAccessCodeState(), limits: createLimitState() }
  const twoSided = handled.filter(isTwoSided)
  registry.register([
    ...metrics.families,
    ...createBreakerFamilies({ coreBreaker, control, twoSided }),
    ...createRoutingFamilies(control.current, twoSided),
    ...createRateLimitFamilies(portState.limits),
  ])
  const publicPages = createPublicPages(readiness.processState, loadDescription, [homePage, ...platformPages])
  const adminPages = createAdminPages({
    readiness,
    formatMetrics: registry.format,
    additionalPages: [
      createDescriptionPage('operators', loadDescription),
      createBuildPage(build),
      ...platformPages,
      ...operatorPages,
      // A separate admin listener shows operators its own page at `/`.
      ...(adminAccess === 'internal-token' ? [homePage] : []),
    ],
  })
  const { INTERNAL_TOKEN: internalToken } = settings
  const servePage =
    adminAccess === 'own-listener'
      ? (raw: Request, bindings: PageBindings) => publicPages.fetch(raw, bindings)
      : createTokenGuard({ publicPages, adminPages, internalToken })
  const hasCore = coreBreaker !== null
  log.info({ build: build.id, routes: describeRoutes(control.current(), hasCore) }, 'route table loaded')
  const observers = createObservers({
    control,
    metrics,
    log,
    nameAccount: createAccountNames(settings),
    isLogged: createLineSelection(settings),
  })
  const nativeDependencies: NativeSideDependencies = {
    nativeTimeoutMs,
    // A model may use its whole timeout. The rest of the request may take as long as on any other route.
    streamTimeoutMs: settings.AI_TIMEOUT_S * 1000 + nativeTimeoutMs,
    log,
    credentials,
    publicBaseUrl: settings.PUBLIC_BASE_URL ?? '',
    secret: settings.GATEWAY_SECRET,
    bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    bodyTimeoutMs: settings.BODY_TIMEOUT_MS,
  }
  const app = createApp({
    mountMiddleware: options.mountMiddleware ?? mountMiddleware,
    control,
    observers,
    log,
    cors,
    credentials,
    hasCore,
    servePage,
  })
  return {
    app,
    nativeDependencies,
    adminPages,
    control,
    observers,
    cors,
    metrics,
    log,
    trusted: parseTrustedProxies(settings.TRUSTED_PROXIES),
    bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    bodyBudget: options.bodyBudget,
    portState,
  }
}

export type ComposedGateway = ReturnType<typeof composeGateway>

export const readCoreOptions = (settings: Settings, log: Log) => {
  const { CORE_BASE_URL, CORE_TIMEOUT_MS, CORE_PROBE_PATH, GATEWAY_SECRET } = settings
  const { CORE_CA: ca, CORE_CLIENT_CERT: cert, CORE_CLIENT_KEY: key } = settings
  if (CORE_BASE_URL === null) return null
  return {
    coreBaseUrls: CORE_BASE_URL,
    timeoutMs: CORE_TIMEOUT_MS,
    probePath: CORE_PROBE_PATH,
    viaPseudonym: createViaPseudonym(GATEWAY_SECRET),
    publicBaseUrl: settings.PUBLIC_BASE_URL ?? null,
    connection: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
    createBreaker: (endpoint: string) =>
      createCircuitBreaker({ onChange: createCoreBreakerLog(log, endpoint) }),
  }
}
