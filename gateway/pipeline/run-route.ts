import type { Label } from '#contracts/route-table.ts'
import { parse } from '#contracts/shared/parse.ts'
import type { Row } from '#contracts/shared/row.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { NativeRoute, StatusResult } from '#native-routes/define-route.ts'
import type { NativeWebhook } from '#native-routes/define-webhook.ts'
import type { Ports } from '#native-routes/ports.ts'
import { requireActor, resolveScope, type ScopeRequest } from '#native-routes/scopes.ts'
import type { RequestContext } from '../request/context.ts'
import type { Params } from '../request/find-route.ts'
import { emptyResponse, type GatewayResponse, jsonResponse } from '../request/response.ts'
import { requireUnexpiredActor } from './authenticate.ts'
import { limitRate } from './limit-rate.ts'
import { readLinkClickId } from './link-click-id.ts'
import { parseInput, parseJson } from './parse-input.ts'
import { recheckWrites } from './recheck-writes.ts'
import { requiredFeature, requireEntitlement } from './require-entitlement.ts'
import type { VerifiedToken } from './verify-token.ts'
import { readVisit } from './visit.ts'

/** A handler's result that its own contract does not allow: our fault, and never sent as it is. */
class ResponseMismatch extends Error {
  override name = 'ResponseMismatch'
}

export interface RouteCall<H extends NativeRoute | NativeWebhook> {
  readonly handler: H
  readonly params: Params
  readonly token: VerifiedToken | null
  readonly exchange: Pick<RequestContext, 'query' | 'header' | 'readBody' | 'clientAddress'>
  readonly ports: Ports
}

const isStatusAnswer = (result: unknown): result is StatusResult =>
  typeof result === 'object' && result !== null && 'status' in result && 'body' in result

// A contract with several statuses of success gets them named by its handler; its keys have no order to rely on.
const statusAndBody = ({ responses }: NativeRoute['contract'], result: unknown): StatusResult => {
  const statuses = Object.keys(responses).map(Number)
  const [only] = statuses
  if (statuses.length === 1 && only !== undefined) return { status: only, body: result }
  if (isStatusAnswer(result) && statuses.includes(result.status)) return result
  throw new ResponseMismatch('the handler named none of its statuses')
}

/** Parsing is the redaction: what the schema of the status does not name is not in the answer. */
const redact = (contract: NativeRoute['contract'], result: unknown): GatewayResponse => {
  const { status, body } = statusAndBody(contract, result)
  const schema = contract.responses[status]
  if (!schema) return emptyResponse(status)
  const parsed = schema.safeParse(body)
  if (parsed.success) return jsonResponse(status, parsed.data)
  const paths = parsed.error.issues.map(({ path, code }) => `${path.join('.')} (${code})`)
  throw new ResponseMismatch(`${contract.label} ${status}: ${paths.join(', ')}`)
}

const scopeOf = async ({ scope }: Row, request: ScopeRequest, ports: Ports) =>
  scope ? await resolveScope(scope, request, ports) : {}

const entitlementOf = async ({ auth }: Row, label: Label, { actor }: ScopeRequest, ports: Ports) => {
  const feature = requiredFeature(auth)
  return feature ? { entitlement: await requireEntitlement(feature, label, requireActor(actor), ports) } : {}
}

/**
 * The one order in which every native route judges a request; the token is verified already. A client may take long to
 * send its body: the token's expiry is checked again once that is complete, and what is changed afterwards is checked
 * again as a whole by `recheckWrites`.
 */
export const runRoute = async (call: RouteCall<NativeRoute>): Promise<GatewayResponse> => {
  const { handler, token, params, exchange, ports } = call
  const { label } = handler.contract
  const row = rowOf(label)
  const request = { actor: token?.actor ?? null, params, visit: readVisit(exchange) }
  await limitRate(label, request, ports.limits)
  let scope = await scopeOf(row, request, ports)
  const entitlement = await entitlementOf(row, label, request, ports)
  let { actor } = request
  const readBody = async () => {
    const body = await exchange.readBody()
    actor = requireUnexpiredActor(row.auth, token)
    // Events are recorded outside any transaction, which would have their link checked again.
    if (row.effects === 'events') scope = await scopeOf(row, { ...request, actor }, ports)
    return body
  }
  const input = await parseInput(handler.contract, exchange.query, readBody)
  const linkClickId = readLinkClickId(exchange.header)
  const known = { actor, params, linkClickId, ...scope, ...entitlement, ...input }
  const result = await handler.handle(known, recheckWrites(ports, { label, token, request }))
  return redact(handler.contract, result)
}

/**
 * A webhook's order: the signature header is judged before the body is read, and the raw bytes are verified before
 * anything reads them as JSON or touches a row.
 */
export const runWebhook = async ({
  handler,
  exchange,
  ports,
}: RouteCall<NativeWebhook>): Promise<GatewayResponse> => {
  const verifyBody = handler.requireSignature(exchange.header, ports)
  const rawBody = await exchange.readBody()
  await verifyBody(rawBody)
  const json = parseJson(rawBody)
  const payload = handler.contract.body ? parse(handler.contract.body, json) : json
  return redact(handler.contract, await handler.handle(payload, ports, exchange.header))
}
