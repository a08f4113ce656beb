import type { Label } from '#contracts/route-table.ts'
import { parse } from '#contracts/shared/parse.ts'
import { type Row, rowOf } from '#contracts/shared/row.ts'
import type { NativeRoute } from '#native-routes/define-route.ts'
import type { NativeStream } from '#native-routes/define-stream.ts'
import type { DeliveryHeader, JsonObject, NativeWebhook } from '#native-routes/define-webhook.ts'
import type { Ports } from '#native-routes/ports.ts'
import { responseTransactionOf } from '#native-routes/response-transactions.ts'
import { requireActor, resolveScope, type ScopeRequest } from '#native-routes/scopes.ts'
import { inSpan } from '#shared/tracing/trace.ts'
import type { RequestContext } from '../request/context.ts'
import type { NativeDecision } from '../request/decide.ts'
import type { GatewayResponse } from '../request/response.ts'
import { authenticate, type Credentials, requireUnexpiredActor } from './authenticate.ts'
import type { Cancellation } from './deadlines/cancellation.ts'
import { createDeliveryHeader } from './delivery-header.ts'
import { createResponseRecorder } from './idempotency/record-response.ts'
import { findEffectLimit, reserveEffect } from './limits/limit-effects.ts'
import { reserveKey } from './limits/limit-keys.ts'
import { limitRate } from './limits/limit-rate.ts'
import { parseInput, parseJson } from './parse-input.ts'
import { readLinkClickId } from './read-link-click-id.ts'
import { readVisit } from './read-visit.ts'
import { recheckWrites } from './recheck-writes.ts'
import { computeErrorHeaders, redactResponse } from './redact-response.ts'
import { createNotImplementedError } from './reject-request.ts'
import { findRequiredFeature, requireEntitlement } from './require-entitlement.ts'
import { type EventResponse, runStream } from './streams/run-stream.ts'

type NativeHandler = NativeRoute | NativeStream | NativeWebhook

export type HandlersByLabel = { readonly [L in Label]?: NativeHandler }

/** Reads the whole body of the request. */
export type ReadBody = () => Promise<Uint8Array>

export interface RouteDependencies {
  readonly credentials: Credentials
  /** Without a trailing slash; empty if none is set: URLs of this service are then relative. */
  readonly publicBaseUrl: string
}

const requireScope = async ({ scope }: Row, request: ScopeRequest, ports: Ports) =>
  scope ? await resolveScope(scope, request, ports) : {}

const requireRowEntitlement = async ({ auth }: Row, label: Label, { actor }: ScopeRequest, ports: Ports) => {
  const feature = findRequiredFeature(auth)
  return feature ? { entitlement: await requireEntitlement(feature, label, requireActor(actor), ports) } : {}
}

const isJsonObject = (json: unknown): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json)

const handleDelivery = async (
  { contract: { body }, handle, ignore }: NativeWebhook,
  json: unknown,
  ports: Ports,
  header: DeliveryHeader,
): Promise<unknown> => {
  if (!body) return handle(json, ports, header)
  if (ignore && isJsonObject(json) && !body.safeParse(json).success) {
    const ignored = await ignore(json, ports)
    if (ignored !== null) return ignored
  }
  return handle(parse(body, json), ports, header)
}

// The signature header is checked before the body is read, and the raw bytes before they are parsed, so that an unsigned
// request causes little work.
const runWebhook = async (
  webhook: NativeWebhook,
  context: RequestContext,
  readRawBody: ReadBody,
  ports: Ports,
): Promise<unknown> => {
  const header = createDeliveryHeader((name) => context.header(name))
  const verifyBody = ports.deliveries.requireSignature(webhook.contract.label, header)
  const rawBody = await inSpan('read body', readRawBody)
  await inSpan('verify signature', () => verifyBody(rawBody))
  const json = parseJson(rawBody)
  return inSpan('handle', () => handleDelivery(webhook, json, ports, header))
}

/**
 * Serves a native route: authentication, rate limits, scope, entitlement, input, handler, redaction. A webhook verifies
 * a signature instead, and a stream requires a cancellation. A client may take long to send its body: the expiry of the
 * token is checked again once the body is complete, and `recheckWrites` repeats the checks of token, scope and entitlement
 * in the transaction of a change. Throws `not_implemented` if there is no handler.
 */
export const runRoute = async (
  { label }: Extract<NativeDecision, { kind: 'native' }>,
  handler: NativeHandler | undefined,
  context: RequestContext,
  readRawBody: ReadBody,
  { credentials, publicBaseUrl }: RouteDependencies,
  ports: Ports,
  cancellation: Cancellation | null = null,
): Promise<GatewayResponse | EventResponse> => {
  const row = rowOf(label)
  const { params } = context
  // The decision about the side may have verified it already.
  context.verifiedToken ??= await inSpan('authenticate', () =>
    authenticate(row.auth, context.header('authorization'), credentials),
  )
  const token = context.verifiedToken
  // After authentication, so that a missing token has the same response for all routes.
  if (!handler) throw createNotImplementedError(context.path)
  if (handler.kind === 'webhook') {
    const result = await runWebhook(handler, context, readRawBody, ports)
    return redactResponse(handler.contract, result, params, publicBaseUrl)
  }

  const respond = (result: unknown) => redactResponse(handler.contract, result, params, publicBaseUrl)
  const recorder =
    context.idempotentRequest &&
    createResponseRecorder({
      request: context.idempotentRequest,
      db: ports.db,
      transaction: responseTransactionOf(label),
      respond,
    })
  const request = { actor: token?.actor ?? null, params, visit: readVisit(context) }
  await inSpan('limit rate', () => limitRate(label, request, ports.limits))
  const key = recorder && (await reserveKey(request, ports.limits))
  const limited = findEffectLimit(label)
  const reserved = limited
    ? await inSpan('limit effects', () => reserveEffect(limited, request, ports.limits))
    : null
  try {
    let scope = await inSpan('resolve scope', () => requireScope(row, request, ports))
    const entitlement = await inSpan('require entitlement', () =>
      requireRowEntitlement(row, label, request, ports),
    )
    let { actor } = request
    const readBody = async () => {
      const body = await readRawBody()
      actor = requireUnexpiredActor(row.auth, token)
      // Events are recorded outside of any transaction, so `recheckWrites` does not check their link again.
      if (row.effects === 'events') scope = await requireScope(row, { ...request, actor }, ports)
      return body
    }
    const input = await inSpan('validate', () => parseInput(handler.contract, context.query, readBody))
    context.errorHeaders = computeErrorHeaders(handler.contract, params, input.body)
    const linkClickId = readLinkClickId(context)
    const routeInput = { actor, params, linkClickId, ...scope, ...entitlement, ...input }
    const handlerPorts = recheckWrites(
      recorder ? recorder.addTo(ports) : ports,
      { label, token, request },
      recorder?.tx,
    )
    if (handler.kind === 'stream') {
      if (!cancellation) throw new Error(`${label}: a stream cannot be served without a cancellation`)
      const streamed = { input: routeInput, params, accept: context.header('accept'), cancellation }
      return await inSpan('handle', () => runStream(handler, streamed, handlerPorts))
    }
    const result = await inSpan('handle', () => handler.handle(routeInput, handlerPorts))
    const redacted = respond(result)
    // Short responses are redacted at once: awaiting them would cost a promise.
    const redactedResponse = redacted instanceof Promise ? await redacted : redacted
    const response = recorder ? await recorder.complete(redactedResponse) : redactedResponse
    if (recorder) await key?.countLength(recorder.storedLength())
    if (reserved) await reserved.succeed(response)
    return response
  } catch (error) {
    const stored = recorder ? await recorder.completeWithError(error) : null
    if (!stored) {
      if (reserved) await reserved.fail(error)
      throw error
    }
    if (reserved) await reserved.refund()
    context.outcome.isReplayed = true
    return stored
  }
}
