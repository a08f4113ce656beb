import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Database } from '#db/client/connection.ts'
import { isReadOnlyServer } from '#db/client/unreachable.ts'
import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import type { Credentials } from '#gateway/pipeline/authenticate.ts'
import { createReadingPorts } from '#gateway/pipeline/request-ports.ts'
import { type HandlersByLabel, runRoute } from '#gateway/pipeline/run-route.ts'
import { findDependencyFailure, toApiError } from '#gateway/pipeline/to-api-error.ts'
import { enterRoute, type FallbackReason, RequestContext } from '#gateway/request/context.ts'
import type { NativeDecision } from '#gateway/request/decide.ts'
import { errorResponse, type GatewayResponse } from '#gateway/request/response.ts'
import type { Settings } from '#gateway/settings/settings.ts'
import type { Actor } from '#native-routes/ports.ts'
import type { CopiedResponse } from './comparison-tasks.ts'
import { copyNative } from './read-copied-response.ts'
import {
  createShadowPorts,
  ShadowEffectError,
  type ShadowError,
  type ShadowPortSettings,
} from './shadow-ports.ts'

/** A GET that the core has served. */
export interface ShadowedRequest {
  readonly method: string
  /** The canonical path. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  /** Headers by lower-case name. There is no token, because the actor is already verified. */
  readonly headers: Readonly<Record<string, string>>
  /** The token's account; null if the request had no valid token. */
  readonly actor: Actor | null
}

export const nativeExclusions = [
  'provider',
  'no_read',
  'database',
  'authentication',
  'timeout',
  'not_ported',
] as const satisfies readonly ('provider' | 'no_read' | FallbackReason)[]

// Why native has no comparable response. `provider`: the response depends on a provider. `no_read`: no GET route serves
// the path. The others are fallback reasons.
type NotComparableReason = (typeof nativeExclusions)[number]

export type ShadowOutcome =
  | ({ readonly kind: 'response' } & CopiedResponse)
  | { readonly kind: 'not_comparable'; readonly reason: NotComparableReason }

export type ShadowSettings = ShadowPortSettings & Pick<Settings, 'PUBLIC_BASE_URL'>

interface ShadowOptions {
  /** Opened with `readOnly`. */
  readonly database: Database
  readonly settings: ShadowSettings
  readonly handlers: HandlersByLabel
  /** The service's base URL unless `PUBLIC_BASE_URL` is set, without a trailing slash. */
  readonly listeningUrl: string
}

// Only rate limits and admission use the client's address, and neither applies to a shadowed request.
const unknownClient = '0.0.0.0'

const createContext = (
  label: Label,
  { method, path, query, headers, actor }: ShadowedRequest,
): RequestContext => {
  const context = new RequestContext({
    method,
    target: { path, query, isRewritten: false },
    header: (name) => headers[name],
    clientAddress: () => unknownClient,
    bodyBudget: createBodyBudget(0),
    read: async () => new Uint8Array(),
  })
  enterRoute(context, label)
  if (actor && rowOf(label).auth.startsWith('actor'))
    context.verifiedToken = { actor, isExpired: () => false }
  return context
}

// Only the verified actor is passed on, never a token.
const noTokens: Credentials['tokens'] = { verify: async () => 'token_missing', peek: () => 'token_missing' }

const describeResponse = (response: GatewayResponse): ShadowOutcome => ({
  kind: 'response',
  ...copyNative(response),
})

const notComparable = (reason: NotComparableReason): ShadowOutcome => ({ kind: 'not_comparable', reason })

/**
 * Returns a function that serves a GET natively without effects, through the live pipeline. If the handler attempts an
 * effect, the response is an internal error, even if the handler catches the rejection, so that such a route does not
 * look correct. If a dependency fails, the response is not comparable. The function waits even for a handler that never
 * returns, so callers must limit the time.
 */
export const createShadowRun = ({ database, settings, handlers, listeningUrl }: ShadowOptions) => {
  const publicBaseUrl = settings.PUBLIC_BASE_URL ?? ''
  const dependencies = {
    publicBaseUrl,
    // Without the internal token, internal routes reject every request.
    credentials: { tokens: noTokens, internalToken: undefined },
  }

  const describeFailure = (error: unknown, decision: NativeDecision, path: string): ShadowOutcome => {
    // The database server rejected a write, perhaps one in a function that a read calls.
    if (isReadOnlyServer(error)) return describeResponse(errorResponse(new ApiError('internal_error')))
    const dependencyFailure = findDependencyFailure(error)
    return dependencyFailure === null
      ? describeResponse(errorResponse(toApiError(error, decision, path)))
      : notComparable(dependencyFailure)
  }

  return async (label: Label, request: ShadowedRequest): Promise<ShadowOutcome> => {
    if (request.method !== 'GET') return notComparable('no_read')
    const handler = handlers[label]
    if (!handler) return notComparable('not_ported')
    const errors: ShadowError[] = []
    const ports = createShadowPorts(database, settings, publicBaseUrl || listeningUrl, (error) =>
      errors.push(error),
    )
    const context = createContext(label, request)
    const { path } = context
    const decision = { kind: 'native', label, mayFallBack: false, reason: 'static', epoch: 0 } as const
    const readBody = () => context.readBody()
    const requestPorts = createReadingPorts(ports)
    const route = { label, handler, context, readBody, requestPorts, cancellation: null }
    const outcome = await runRoute(route, dependencies).then(
      (response) => ('events' in response ? notComparable('no_read') : describeResponse(response)),
      (error) => describeFailure(error, decision, path),
    )
    const effect = errors.find((error) => error instanceof ShadowEffectError)
    if (effect) return describeFailure(effect, decision, path)
    return errors.length > 0 ? notComparable('provider') : outcome
  }
}
