import { trustedProxies } from '#proxy/trusted-proxies.ts'
import { viaPseudonym } from '#proxy/via.ts'
import { createCors } from './cors.ts'
import { createGateway, type Pages } from './create-gateway.ts'
import type { BodyBudget } from './edge/body-budget.ts'
import type { Log } from './log.ts'
import { createMetrics } from './metrics.ts'
import type { HandlersByLabel } from './native.ts'
import { createTokenVerifier } from './pipeline/verify-token.ts'
import type { Readiness } from './readiness.ts'
import type { RouteBreaker } from './route-breaker.ts'
import type { Settings } from './settings.ts'
import { createSharingMemory } from './sharing.ts'

/** How long a native route may take before it counts as failed. */
export const usualNativeTimeoutMs = 10_000

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
export const coreOptionsOf = async ({ CORE_BASE_URL, CORE_TIMEOUT_MS, GATEWAY_SECRET }: Settings) =>
  CORE_BASE_URL === null
    ? null
    : {
        coreBaseUrl: CORE_BASE_URL,
        timeoutMs: CORE_TIMEOUT_MS,
        viaPseudonym: await viaPseudonym(GATEWAY_SECRET),
      }
