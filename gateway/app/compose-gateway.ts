import { trustedProxies } from '#proxy/headers/trusted-proxies.ts'
import { createViaPseudonym } from '#proxy/headers/via.ts'
import type { BodyBudget } from '../edge/body-budget.ts'
import type { Log } from '../observability/log.ts'
import { createMetrics } from '../observability/metrics.ts'
import type { Readiness } from '../observability/readiness.ts'
import type { HandlersByLabel } from '../pipeline/run-native.ts'
import { createTokenVerifier } from '../pipeline/verify-token.ts'
import { createSharingMemory } from '../ports/sharing.ts'
import { createCors } from '../request/cors.ts'
import type { RouteBreaker } from '../request/route-breaker.ts'
import type { Settings } from '../settings/settings.ts'
import { createGateway, type Pages } from './create-app.ts'

/** How long a native route may take before it counts as failed. */
export const defaultNativeTimeoutMs = 10_000

interface ComposeOptions {
  readonly settings: Settings
  readonly log: Log
  readonly handlers: HandlersByLabel
  readonly nativeTimeoutMs: number
  readonly readiness: Readiness
  readonly routeBreaker: RouteBreaker
  readonly pages: readonly Pages[]
  /** Shared by every request of the process, or of the isolate. */
  readonly bodyBudget: BodyBudget
  /** Keeps work going that no answer waits for, where the platform would stop it with the request. */
  readonly inBackground?: (work: Promise<unknown>) => void
}

/** Everything that the entries of all platforms make of the settings in the same way. */
export const composeGateway = ({ settings, log, inBackground, bodyBudget, ...options }: ComposeOptions) => {
  const cors = createCors(settings.CORS_ORIGINS, settings.APP_ORIGIN)
  const metrics = createMetrics()
  const auth = {
    issuer: settings.AUTH_ISSUER,
    audience: settings.AUTH_AUDIENCE,
    jwksUrl: settings.AUTH_JWKS_URL,
  }
  const gateway = createGateway({
    ...options,
    credentials: {
      verifyToken: createTokenVerifier(auth, { inBackground }),
      internalToken: settings.INTERNAL_TOKEN,
    },
    log,
    cors,
    metrics,
    hasCore: settings.CORE_BASE_URL !== null,
    bodyTimeoutMs: settings.BODY_TIMEOUT_MS,
    killed: new Set(settings.GATEWAY_KILL),
  })
  return {
    gateway,
    cors,
    metrics,
    log,
    trusted: trustedProxies(settings.TRUSTED_PROXIES),
    bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    bodyBudget,
    sharingMemory: createSharingMemory(),
  }
}

/** The gateway as the entry of a platform needs it to carry requests through. */
export type ComposedGateway = ReturnType<typeof composeGateway>

/** What every transport needs to know of the core; null where there is none. */
export const readCoreOptions = ({ CORE_BASE_URL, CORE_TIMEOUT_MS, GATEWAY_SECRET }: Settings) =>
  CORE_BASE_URL === null
    ? null
    : {
        coreBaseUrl: CORE_BASE_URL,
        timeoutMs: CORE_TIMEOUT_MS,
        viaPseudonym: createViaPseudonym(GATEWAY_SECRET),
      }
