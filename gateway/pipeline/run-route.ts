import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { type Row, rowOf } from '#contracts/shared/row.ts'
import { isUnchanged, type NativeRoute } from '#native-routes/define-route.ts'
import type { NativeStream } from '#native-routes/define-stream.ts'
import type { NativeWebhook } from '#native-routes/define-webhook.ts'
import type { Ports } from '#native-routes/ports.ts'
import { responseTransactionOf } from '#native-routes/response-transactions.ts'
import { requireActor, resolveScope, type ScopeRequest } from '#native-routes/scopes.ts'
import { inSpan } from '#shared/tracing/trace.ts'
import type { RequestContext } from '../request/context.ts'
import type { GatewayResponse } from '../request/response.ts'
import { authenticate, type Credentials, requireUnexpiredActor } from './authenticate.ts'
import { type ResponseRecorder, withStoredResponse } from './idempotency/record-response.ts'
import { limitRate, recordLimits, reserveStoredResponse, withEffectLimit } from './limits.ts'
import { parseBody, parseQuery, readLinkClickId, readVisit } from './parse-input.ts'
import { computeErrorHeaders, redactResponse } from './redact-response.ts'
import type { RequestPorts } from './request-ports.ts'
import { findRequiredFeature, requireEntitlement } from './require-entitlement.ts'
import { type Cancellation, type EventResponse, runStream } from './run-stream.ts'
import { runWebhook } from './run-webhook.ts'

export type HandlersByLabel = { readonly [L in Label]?: NativeRoute | NativeStream | NativeWebhook }

export type ReadBody = () => Promise<Uint8Array>

export interface RouteDependencies {
  readonly credentials: Credentials
  /** Without a trailing slash. If empty, URLs of this service are relative. */
  readonly publicBaseUrl: string
}

export interface RouteRequest {
  readonly label: Label
  readonly handler: HandlersByLabel[Label]
  readonly context: RequestContext
  readonly readBody: ReadBody
  readonly requestPorts: RequestPorts
  readonly cancellation: Cancellation | null
}

export const createNotImplementedError = (path: string) =>
  new ApiError('native_route_not_implemented', { message: 'This route is not implemented natively.', path })

const requireScope = async ({ scope }: Row, request: ScopeRequest, ports: Ports) =>
  scope ? await resolveScope(scope, request, ports) : {}

const requireRowEntitlement = async ({ auth }: Row, label: Label, { actor }: ScopeRequest, ports: Ports) => {
  const feature = findRequiredFeature(auth)
  return feature ? { entitlement: await requireEntitlement(feature, label, requireActor(actor), ports) } : {}
}

// A client may send its body slowly, so check the token's expiry again. Routes that record events also check the scope
// again here, because events are recorded outside a transaction. All other routes check the scope again inside their
// transaction.
const prepareInput = async (
  { contract }: NativeRoute | NativeStream,
  { label, context, readBody, requestPorts: { ports } }: RouteRequest,
  scopeRequest: ScopeRequest,
) => {
  const row = rowOf(label)
  const { params, verifiedToken } = context
  const resolved = await inSpan('resolve scope', () => requireScope(row, scopeRequest, ports))
  const entitlement = await inSpan('require entitlement', () =>
    requireRowEntitlement(row, label, scopeRequest, ports),
  )
  const { query, body, actor, scope } = await inSpan('validate', async () => {
    const query = parseQuery(contract, context.query)
    if (!contract.body) return { query, body: undefined, actor: scopeRequest.actor, scope: resolved }
    const bytes = await readBody()
    const actor = requireUnexpiredActor(row.auth, verifiedToken)
    const scope =
      row.effects === 'events' ? await requireScope(row, { ...scopeRequest, actor }, ports) : resolved
    return { query, body: parseBody(contract.body, bytes), actor, scope }
  })
  context.errorHeaders = computeErrorHeaders(contract, params, body)
  return { actor, params, linkClickId: readLinkClickId(context), ...scope, ...entitlement, query, body }
}

/**
 * Serves a native route: authenticate, limit the rate, resolve the scope, require the entitlement, validate, run the
 * handler, redact. The effect limit wraps all steps after the rate limit, including the idempotency record.
 */
export const runRoute = async (
  route: RouteRequest,
  { credentials, publicBaseUrl }: RouteDependencies,
): Promise<GatewayResponse | EventResponse> => {
  const { label, handler, context, readBody, requestPorts, cancellation } = route
  const { params, idempotentRequest } = context
  const { ports } = requestPorts
  // The token may already have been verified to decide which side serves the request.
  context.verifiedToken ??= await inSpan('authenticate', () =>
    authenticate(rowOf(label).auth, context.header('authorization'), credentials),
  )
  // After authentication, so a missing token gets the same response on every route.
  if (!handler) throw createNotImplementedError(context.path)
  const token = context.verifiedToken
  const scopeRequest = { actor: token?.actor ?? null, params, visit: readVisit(context) }
  const portsWith = (recorder: ResponseRecorder | null) =>
    requestPorts.forHandler({ token, request: scopeRequest }, recorder)
  const respond = (result: unknown) => redactResponse(handler.contract, result, params, publicBaseUrl)
  if (handler.kind === 'webhook')
    return respond(await runWebhook(handler, (name) => context.header(name), readBody, portsWith(null)))

  const limits = recordLimits(ports.limits, context)
  await inSpan('limit rate', () => limitRate(handler.contract, scopeRequest, limits))
  const key = idempotentRequest && (await reserveStoredResponse(scopeRequest, limits))
  return withEffectLimit<GatewayResponse | EventResponse>(
    handler.contract,
    scopeRequest,
    limits,
    context,
    async () => {
      if (handler.kind === 'stream') {
        if (!cancellation)
          throw new Error(`${label}: a stream cannot be served without a cancellation signal`)
        const input = await prepareInput(handler, route, scopeRequest)
        const streamed = { input, params, accept: context.header('accept'), cancellation }
        return inSpan('handle', () => runStream(handler, streamed, portsWith(null)))
      }
      const handle = async (recorder: ResponseRecorder | null) => {
        const input = await prepareInput(handler, route, scopeRequest)
        const result = await inSpan('handle', () => handler.handle(input, portsWith(recorder)))
        context.outcome.isUnchanged = isUnchanged(result)
        return respond(result)
      }
      if (!idempotentRequest || !key) return handle(null)
      const transaction = responseTransactionOf(label)
      const stored = { request: idempotentRequest, db: ports.db, transaction, respond, ...key }
      return withStoredResponse(stored, context, handle)
    },
  )
}
