import { waitUntil } from 'cloudflare:workers'
import { ApiError } from '#contracts/errors.ts'
import { openDatabase } from '#db/client/connection.ts'
import { resolveClientOrigin } from '#proxy/headers/client-origin.ts'
import { createConsoleLog } from './adapters/log-console.ts'
import { toResponse } from './app/create-app.ts'
import { answerOfFault, carryExchange, type Platform, recordExchange, recordRefusal } from './app/dispatch.ts'
import { type EdgeErrorCode, type InspectedRequest, inspectRequest } from './edge/inspect-request.ts'
import { ClientGoneError } from './node/read-body.ts'
import { describeError } from './observability/log.ts'
import { createPorts } from './ports/create-ports.ts'
import { openSharing } from './ports/sharing.ts'
import { initialOutcome, type RequestContext, sanitizeRequestId, serviceHeaders } from './request/context.ts'
import { type Cors, errorResponseHeaders } from './request/cors.ts'
import { createRequestContext } from './request/create-context.ts'
import { emptyResponse, errorResponse, type GatewayResponse } from './request/response.ts'
import { createUpstreamRequest, upstreamErrorResponse } from './request/upstream-request.ts'
import { SettingsError } from './settings/read-environment.ts'
import { type Isolate, openIsolate, type WorkerEnvironment } from './workers/open-isolate.ts'
import { readBody } from './workers/read-body.ts'

// The runtime keeps few connections for a request, and the core may need one of them.
const connectionsPerRequest = 3

const flatHeaders = ({ headers }: Request) => [...headers].flat()

// As on Node; what the runtime itself puts up with is several times as much.
const maxHeadLength = 16_384

const lengthOf = (parts: readonly string[]) => parts.reduce((length, part) => length + part.length, 0)

// The runtime has framed the body already, and over HTTP/2 no header needs to say that there is one.
const inspect = (request: Request): InspectedRequest | EdgeErrorCode => {
  const target = request.url.replace(/^https?:\/\/[^/?#]*/i, '')
  const headers = flatHeaders(request)
  if (target.length > maxHeadLength) return 'uri_too_long'
  if (lengthOf(headers) > maxHeadLength) return 'headers_too_large'
  const inspected = inspectRequest(request.method, target, '1.1', headers)
  const isUnmeasured = request.body !== null && !request.headers.has('content-length')
  return typeof inspected !== 'string' && isUnmeasured ? { ...inspected, bodyLength: null } : inspected
}

const clientOf = (request: Request, { host }: InspectedRequest, { trusted }: Isolate) => {
  const address = request.headers.get('cf-connecting-ip') ?? 'unknown'
  const peer = { address, encrypted: request.url.startsWith('https:'), host }
  return resolveClientOrigin(flatHeaders(request), peer, trusted)
}

/** The answer to a request that never became an exchange. */
const refuse = ({ status, headers, body }: GatewayResponse, request: Request, cors: Cors | null) => {
  const requestId = sanitizeRequestId(request.headers.get('x-request-id') ?? undefined)
  const outcome = initialOutcome({ kind: 'no-row', nativeOnly: false })
  const header = (name: string) => request.headers.get(name) ?? undefined
  const beside = cors
    ? errorResponseHeaders(cors, { method: request.method, target: request.url, header })
    : {}
  const stamp = { ...beside, 'cache-control': 'no-store', ...serviceHeaders({ requestId, outcome }) }
  return new Response(body ?? null, { status, headers: { ...headers, ...stamp } })
}

const platformOf = (
  request: Request,
  inspected: InspectedRequest,
  exchange: RequestContext,
  isolate: Isolate,
): Platform<Response> => ({
  respond: (answer) => toResponse(answer, exchange, isolate.cors),

  async forward(label) {
    if (!isolate.transport) throw new Error('nothing is forwarded without a core')
    const client = clientOf(request, inspected, isolate)
    const forwarded = await createUpstreamRequest(label, exchange, inspected, client, isolate)
    const outcome = await isolate.transport.forward(request, forwarded)
    if (outcome instanceof Response) return outcome
    return toResponse(upstreamErrorResponse(outcome, exchange), exchange, isolate.cors)
  },

  async dispatch(decision, fallBack) {
    const { settings, log, gateway, metrics, sharingMemory: memory } = isolate
    const publicBaseUrl = () => settings.PUBLIC_BASE_URL ?? new URL(request.url).origin
    const database = openDatabase(settings.DATABASE_URL, { connections: connectionsPerRequest })
    const sharing = openSharing({ database, settings, log, metrics, memory })
    const ports = createPorts(database, settings, log, publicBaseUrl, sharing)
    try {
      return await gateway.fetch(request, { exchange, decision, ports, fallBack })
    } finally {
      waitUntil(sharing.events.close().finally(() => database.close()))
    }
  },
})

const serve = async (request: Request, isolate: Isolate): Promise<Response> => {
  const startedAt = performance.now()
  const inspected = inspect(request)
  if (typeof inspected === 'string') {
    const answer = errorResponse(new ApiError(inspected))
    recordRefusal(isolate, inspected, answer.status)
    return refuse(answer, request, isolate.cors)
  }
  const exchange = createRequestContext({
    method: request.method,
    path: inspected.target.path,
    query: inspected.target.query,
    header: (name) => request.headers.get(name) ?? undefined,
    clientAddress: () => clientOf(request, inspected, isolate).address,
    bodyBudget: isolate.bodyBudget,
    read: (reservation, timeoutMs) =>
      readBody(request, reservation, { maxBytes: isolate.bodyLimitBytes, timeoutMs }),
  })
  const platform = platformOf(request, inspected, exchange, isolate)
  const carry = async () => carryExchange(isolate.gateway, exchange, platform)
  const answered = carry()
    .catch((error) => {
      const answer =
        error instanceof ClientGoneError ? emptyResponse(499) : answerOfFault(error, exchange, isolate.log)
      return toResponse(answer, exchange, isolate.cors)
    })
    .finally(exchange.releaseBody)
  // Otherwise the runtime cancels the work when the client hangs up, and the memory of its body would stay reserved.
  if (inspected.bodyLength !== 0) waitUntil(answered)
  const response = await answered
  recordExchange(isolate, exchange, response.status, startedAt)
  return response
}

let isolate: Isolate | undefined

/** The gateway on Cloudflare Workers. The database must be migrated before: that is not done from here. */
export default {
  async fetch(request: Request, environment: WorkerEnvironment): Promise<Response> {
    try {
      isolate ??= await openIsolate(environment)
      return await serve(request, isolate)
    } catch (error) {
      const failure = error instanceof SettingsError ? error.message : describeError(error)
      createConsoleLog('error').error({ failure }, 'the gateway cannot work')
      return refuse(errorResponse(new ApiError('internal_error')), request, isolate?.cors ?? null)
    }
  },
}
