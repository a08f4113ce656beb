import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { ApiError, type ErrorCode, errorTable } from '#contracts/errors.ts'
import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import type { InspectedRequest, RejectedRequest } from '#gateway/edge/inspect-request.ts'
import { createEdgeServer } from '#gateway/node/http-server.ts'
import { readBody, readBodyStart } from '#gateway/node/read-body.ts'
import { ClientGoneError } from '#gateway/request/context.ts'
import { createCircuitBreaker } from '#proxy/circuit-breaker.ts'
import { CoreLoad } from '#proxy/core-load.ts'
import type { ForwardOutcome } from '#proxy/core-request.ts'
import type { ResponseTap } from '#proxy/core-response.ts'
import { parseTrustedProxies, resolveClientOrigin } from '#proxy/headers/client-origin.ts'
import { type CorePoolOptions, createCorePool } from '#proxy/undici/core-pool.ts'
import {
  createResponseTimes,
  createUndiciTransport,
  type UndiciTransport,
  type UndiciTransportOptions,
} from '#proxy/undici/transport-undici.ts'
import { errorBody } from '#test/support/error-body.ts'
import { type RawCore, type Reply, startRawCore } from '#test/support/raw-core.ts'

interface ForwardingGatewayOptions extends Partial<UndiciTransportOptions> {
  readonly retryable?: boolean
  readonly replacesCors?: boolean
  readonly replacedHeaders?: ReadonlySet<string>
  readonly bodyLimit?: number
  readonly bodyMemoryBytes?: number
  /** Returns the route for a path; if omitted, all paths are unmatched. */
  readonly routeOf?: (path: string) => string
  readonly trusted?: readonly string[]
  /** Returns the response tap for requests to a path; if omitted, no request has one. */
  readonly tapOf?: (path: string) => ResponseTap | undefined
  readonly responseStallTimeoutMs?: number
}

const serviceHeaders = [
  'x-service-core-runtime',
  'proxy',
  'x-service-native-route',
  'unmatched',
  'x-service-proxy-fallback',
  '0',
]

const writeError = (outgoing: ServerResponse, code: ErrorCode, retryAfterS?: number) => {
  if (outgoing.destroyed) return
  const headers = ['content-type', 'application/json', 'cache-control', 'no-store', ...serviceHeaders]
  if (retryAfterS !== undefined) headers.push('retry-after', String(retryAfterS))
  outgoing.writeHead(errorTable[code][0][0], headers)
  outgoing.end(JSON.stringify(errorBody(code)))
}

/** Starts a minimal gateway that forwards every request to the core. */
export const startForwardingGateway = async (coreUrl: string, options: ForwardingGatewayOptions = {}) =>
  startGatewayWith(
    createUndiciTransport({
      coreBaseUrl: coreUrl,
      viaPseudonym: 'crossfade-test',
      breaker: createCircuitBreaker(),
      load: new CoreLoad(),
      responseTimes: createResponseTimes(),
      ...options,
    }),
    options,
  )

type PoolGatewayOptions = Partial<CorePoolOptions> & Pick<ForwardingGatewayOptions, 'retryable'>

export const startPoolGateway = (coreBaseUrls: readonly string[], options: PoolGatewayOptions = {}) =>
  startGatewayWith(createCorePool({ viaPseudonym: 'crossfade-test', ...options, coreBaseUrls }), {
    retryable: options.retryable ?? false,
  })

const startGatewayWith = async <T extends UndiciTransport>(
  transport: T,
  options: ForwardingGatewayOptions,
) => {
  const { retryable = false, replacesCors = false, replacedHeaders = null, bodyLimit = 65_536 } = options
  const outcomes: ForwardOutcome[] = []
  const rejections: RejectedRequest[] = []
  const trusted = parseTrustedProxies(options.trusted ?? [])
  const budget = createBodyBudget(options.bodyMemoryBytes ?? Number.POSITIVE_INFINITY)
  const progressOption = options.bodyProgress ? { progress: options.bodyProgress } : {}
  const selectBody = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { bodyLength }: InspectedRequest,
  ) => {
    if (bodyLength === 0) return null
    if (bodyLength !== null && bodyLength > bodyLimit) return 'stream'
    const read = bodyLength === null ? readBodyStart : readBody
    const reservation = budget.reserve(incoming.socket.remoteAddress ?? '')
    outgoing.once('close', reservation.release)
    return read(incoming, outgoing, reservation, { maxBytes: bodyLimit, ...progressOption })
  }

  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse, request: InspectedRequest) => {
    const peer = { address: incoming.socket.remoteAddress ?? '', encrypted: false, host: request.host }
    const body = await selectBody(incoming, outgoing, request)
    const isStart = typeof body === 'object' && body !== null && 'chunks' in body
    const coreRequest = {
      method: incoming.method ?? '',
      target: request.target.target,
      body: isStart ? ('stream' as const) : body,
      bodyStart: isStart ? body : null,
      route: options.routeOf?.(request.target.path) ?? 'unmatched',
      requestId: 'req_1',
      trace: null,
      responseHeaders: serviceHeaders,
      retryable,
      client: resolveClientOrigin(incoming.rawHeaders, peer, trusted),
      replacesCors,
      replacedHeaders,
    }
    const tap = options.tapOf?.(request.target.path)
    const outcome = await transport.forward(incoming, outgoing, coreRequest, tap)
    outcomes.push(outcome)
    if (outcome.kind === 'failed') writeError(outgoing, outcome.code, outcome.retryAfterS)
  }

  const edge = createEdgeServer({
    ...(options.responseStallTimeoutMs === undefined
      ? {}
      : { responseStallTimeoutMs: options.responseStallTimeoutMs }),
    onRequest: (incoming, outgoing, request) => {
      forward(incoming, outgoing, request).catch((error: unknown) => {
        if (error instanceof ApiError) writeError(outgoing, error.code)
        else if (!(error instanceof ClientGoneError)) outgoing.destroy()
      })
    },
    onRejected: (rejected) => rejections.push(rejected),
    bodyBudget: budget,
  })
  const port = await edge.listen(0, '127.0.0.1')
  const close = async () => {
    await edge.close(0)
    await transport.close()
  }
  return { port, edge, transport, outcomes, rejections, budget, close }
}

/** Starts a raw core with a forwarding gateway in front, and closes both after the test. */
export const startCoreAndGateway = async (reply?: Reply, options?: ForwardingGatewayOptions) => {
  const core: RawCore = await startRawCore(reply)
  const gateway = await startForwardingGateway(core.url, options)
  onTestFinished(async () => {
    await core.close()
    await gateway.close()
  })
  return { core, gateway, port: gateway.port, outcomes: gateway.outcomes }
}

/** Resolves once `condition` returns true. Has no timeout except that of the test. */
export const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

export const megabyte = Buffer.alloc(1024 * 1024, 'x')

/**
 * Writes at least `limit` bytes, as fast as the socket accepts them. Returns a function that returns how many have been
 * written.
 */
export const pour = (socket: Socket, limit: number) => {
  let written = 0
  const more = () => {
    while (written < limit) {
      written += megabyte.length
      if (!socket.write(megabyte)) break
    }
  }
  socket.on('drain', more)
  more()
  return () => written
}
