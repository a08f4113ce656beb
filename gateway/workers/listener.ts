import { waitUntil } from 'cloudflare:workers'
import type { ExecutionContext } from 'hono'
import { ApiError } from '#contracts/errors.ts'
import { describeError } from '#shared/describe-error.ts'
import { traceIdOf } from '#shared/tracing/trace.ts'
import { recordRejection } from '../app/observers.ts'
import {
  type EdgeRejection,
  edgeErrorCodeOf,
  type InspectedRequest,
  inspectRequest,
} from '../edge/inspect-request.ts'
import { version } from '../observability/log.ts'
import { RequestContext, RequestOutcome, sanitizeRequestId } from '../request/context.ts'
import { type Cors, createErrorResponseHeaders } from '../request/cors.ts'
import { createEdgeError, errorResponse, serviceHeaders } from '../request/response.ts'
import { startRequestTrace } from '../request/trace.ts'
import {
  createConsoleLog,
  type Isolate,
  type IsolateOptions,
  openIsolate,
  type WorkerEnvironment,
} from './open-isolate.ts'
import { createResponse, resolveClient, WorkersPlatform } from './platform.ts'
import { readBody, readBodyStart } from './read-body.ts'

// Same limit as on Node. The runtime itself accepts several times as much.
const maxHeadLength = 16_384

const totalLength = (parts: readonly string[]) => parts.reduce((length, part) => length + part.length, 0)

// The runtime has already parsed the framing, and over HTTP/2 a body needs no Content-Length.
const inspect = (request: Request): InspectedRequest | EdgeRejection => {
  const target = request.url.replace(/^https?:\/\/[^/?#]*/i, '')
  const headers = [...request.headers].flat()
  if (target.length > maxHeadLength) return 'uri_too_long'
  if (totalLength(headers) > maxHeadLength) return 'headers_too_large'
  const inspected = inspectRequest(request.method, target, '1.1', headers)
  const hasUnknownLength = request.body !== null && !request.headers.has('content-length')
  return typeof inspected !== 'string' && hasUnknownLength ? { ...inspected, bodyLength: null } : inspected
}

const createHeaderReader = (request: Request) => (name: string) => request.headers.get(name) ?? undefined

const describeRequest = (request: Request) => {
  const header = createHeaderReader(request)
  return {
    requestId: sanitizeRequestId(header('x-request-id')),
    trace: startRequestTrace(null, { method: request.method, header }),
  }
}

const createRejection = (error: ApiError, request: Request, requestId: string, cors: Cors | undefined) => {
  const { method, url: target } = request
  const {
    status,
    headers,
    body = null,
  } = errorResponse(error, {
    ...(cors && createErrorResponseHeaders(cors, { method, target, header: createHeaderReader(request) })),
    'cache-control': 'no-store',
    ...serviceHeaders({ requestId, outcome: new RequestOutcome() }),
  })
  return createResponse(method, status, headers, body)
}

const serve = async (
  request: Request,
  isolate: Isolate,
  executionContext: ExecutionContext,
): Promise<Response> => {
  const inspected = inspect(request)
  if (typeof inspected === 'string') {
    const code = edgeErrorCodeOf(inspected)
    const { requestId, trace } = describeRequest(request)
    const error = createEdgeError(code)
    recordRejection(isolate, { code, status: error.status, reason: inspected, requestId, trace })
    return createRejection(error, request, requestId, isolate.cors)
  }
  const tracer = isolate.spans?.startRequest() ?? null
  const context = new RequestContext({
    method: request.method,
    target: inspected.target,
    header: createHeaderReader(request),
    clientAddress: () => resolveClient(request, inspected, isolate).address,
    onDisconnect: (listener) => request.signal.addEventListener('abort', listener, { once: true }),
    bodyBudget: isolate.bodyBudget,
    tracer,
    read: (reservation, timeoutMs) =>
      readBody(request, reservation, { maxBytes: isolate.bodyLimitBytes, timeoutMs }),
    readStart: (reservation) => readBodyStart(request, reservation, { maxBytes: isolate.bodyLimitBytes }),
    // `fetch` has no lanes that limit the connections to the core. Buffering bodies of unknown length would use memory
    // without freeing connections.
    streamsUnknownLength: true,
  })
  context.outcome.bytesIn = inspected.bodyLength ?? undefined
  // Needed even if the core serves the route, because the route may have been moved since the state was last read.
  await isolate.control.refreshed()
  const platform = new WorkersPlatform(isolate, context, inspected, request)
  const bindings = { context, platform }
  const served = Promise.resolve(isolate.app.serve(bindings, executionContext))
  // Otherwise the runtime cancels the work once the client disconnects or has its response: a body's memory would
  // stay reserved, and middleware would not continue after `next()`.
  waitUntil(served)
  await Promise.race([platform.waitForResponse(), served])
  const response =
    platform.response ??
    createRejection(new ApiError('internal_error'), request, context.requestId, isolate.cors)
  isolate.observers.ended({ context, status: response.status, durationMs: context.durationMs() })
  // A stream's spans end after its response has begun, so they are sent once everything has ended.
  if (tracer) waitUntil(served.then(tracer.send, tracer.send))
  return response
}

const serveCounted: typeof serve = async (request, isolate, executionContext) => {
  isolate.metrics.beginRequest()
  try {
    return await serve(request, isolate, executionContext)
  } finally {
    isolate.metrics.endRequest()
  }
}

/** An isolate's first request reads the settings. */
export const createFetchHandler = (options: IsolateOptions) => {
  let isolate: Isolate | undefined
  return async (
    request: Request,
    environment: WorkerEnvironment,
    executionContext: ExecutionContext,
  ): Promise<Response> => {
    try {
      isolate ??= await openIsolate(environment, options)
      return await serveCounted(request, isolate, executionContext)
    } catch (error) {
      const { requestId, trace } = describeRequest(request)
      const log = createConsoleLog('error', { version })
      log.error(
        { requestId, traceId: traceIdOf(trace), failure: describeError(error) },
        'worker initialization failed',
      )
      return createRejection(new ApiError('internal_error'), request, requestId, isolate?.cors)
    }
  }
}
