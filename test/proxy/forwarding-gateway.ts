import type { IncomingMessage, ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { ApiError, type ErrorCode, errorTable } from '#contracts/errors.ts'
import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import { ClientGoneError } from '#gateway/edge/client-gone.ts'
import type { InspectedRequest } from '#gateway/edge/inspect-request.ts'
import { createEdgeServer, type RejectedRequest } from '#gateway/node/http-server.ts'
import { readBody } from '#gateway/node/read-body.ts'
import { resolveClientOrigin } from '#proxy/headers/client-origin.ts'
import { trustedProxies } from '#proxy/headers/trusted-proxies.ts'
import { createUndiciTransport, type UndiciTransportOptions } from '#proxy/undici/transport-undici.ts'
import type { ForwardOutcome } from '#proxy/upstream-request.ts'
import { type RawCore, type Reply, startRawCore } from '#test/support/raw-core.ts'

interface Options extends Partial<UndiciTransportOptions> {
  readonly retryable?: boolean
  readonly replacesCors?: boolean
  readonly replacedHeaders?: ReadonlySet<string>
  readonly bodyLimit?: number
  readonly trusted?: readonly string[]
  readonly answerStallMs?: number
}

const stamp = [
  'x-service-core-runtime',
  'proxy',
  'x-service-native-route',
  'unmatched',
  'x-service-proxy-fallback',
  '0',
]

const writeError = (outgoing: ServerResponse, code: ErrorCode, retryAfterS?: number) => {
  if (outgoing.destroyed) return
  const headers = ['content-type', 'application/json', 'cache-control', 'no-store', ...stamp]
  if (retryAfterS !== undefined) headers.push('retry-after', String(retryAfterS))
  outgoing.writeHead(errorTable[code][0][0], headers)
  outgoing.end(JSON.stringify({ error: code }))
}

/** The smallest gateway there can be: every request goes to the core. */
export const startForwardingGateway = async (coreUrl: string, options: Options = {}) => {
  const { retryable = false, replacesCors = false, replacedHeaders = null, bodyLimit = 65_536 } = options
  const outcomes: ForwardOutcome[] = []
  const refusals: RejectedRequest[] = []
  const trusted = trustedProxies(options.trusted ?? [])
  const budget = createBodyBudget(Number.POSITIVE_INFINITY)
  const transport = createUndiciTransport({
    coreBaseUrl: coreUrl,
    viaPseudonym: 'crossfade-test',
    ...options,
  })

  const bodyOf = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { bodyLength }: InspectedRequest,
  ) => {
    if (bodyLength === 0) return null
    if (bodyLength === null || bodyLength > bodyLimit) return 'stream'
    return readBody(incoming, outgoing, budget.reserve(), { maxBytes: bodyLimit })
  }

  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse, request: InspectedRequest) => {
    const peer = { address: incoming.socket.remoteAddress ?? '', encrypted: false, host: request.host }
    const outcome = await transport.forward(incoming, outgoing, {
      method: incoming.method ?? '',
      target: request.target.target,
      body: await bodyOf(incoming, outgoing, request),
      requestId: 'req_1',
      responseHeaders: stamp,
      retryable,
      client: resolveClientOrigin(incoming.rawHeaders, peer, trusted),
      replacesCors,
      replacedHeaders,
    })
    outcomes.push(outcome)
    if (outcome.kind === 'failed') writeError(outgoing, outcome.code, outcome.retryAfterS)
  }

  const edge = createEdgeServer({
    ...(options.answerStallMs === undefined ? {} : { responseStallTimeoutMs: options.answerStallMs }),
    onRequest: (incoming, outgoing, request) => {
      forward(incoming, outgoing, request).catch((error: unknown) => {
        if (error instanceof ApiError) writeError(outgoing, error.code)
        else if (!(error instanceof ClientGoneError)) outgoing.destroy()
      })
    },
    onRejected: (refused) => refusals.push(refused),
  })
  const port = await edge.listen(0, '127.0.0.1')
  const close = async () => {
    await edge.close(0)
    await transport.close()
  }
  return { port, edge, transport, outcomes, refusals, close }
}

/** A raw core behind a forwarding gateway, both gone when the test is over. */
export const coreBehindGateway = async (reply?: Reply, options?: Options) => {
  const core: RawCore = await startRawCore(reply)
  const gateway = await startForwardingGateway(core.url, options)
  onTestFinished(async () => {
    await core.close()
    await gateway.close()
  })
  return { core, gateway, port: gateway.port, outcomes: gateway.outcomes }
}

/** Resolves once `condition` holds; the test's own time limit ends a wait in vain. */
export const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}
