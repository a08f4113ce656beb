import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { ApiError } from '#contracts/errors.ts'
import type { Ports } from '#native-routes/ports.ts'
import type { UndiciTransport } from '#proxy/transport-undici.ts'
import type { TrustedProxies } from '#proxy/trusted-proxies.ts'
import { type Answer, emptyAnswer, errorAnswer } from './answer.ts'
import type { Cors } from './cors.ts'
import { type Gateway, headersOf, type RequestEnvironment } from './create-gateway.ts'
import type { Decision } from './decide.ts'
import type { EdgeServerOptions } from './edge/http-server.ts'
import type { InspectedRequest } from './edge/inspect-request.ts'
import { ClientGoneError, readBody } from './edge/read-body.ts'
import type { Exchange } from './exchange.ts'
import { describeError, type Log, logExchange } from './log.ts'
import type { Metrics } from './metrics.ts'
import { nodeExchange } from './node-exchange.ts'
import { createForwarder } from './node-forward.ts'

export interface NodeListenerParts {
  readonly gateway: Gateway
  /** Null where no core is configured: then nothing is ever forwarded. */
  readonly transport: UndiciTransport | null
  readonly ports: Ports
  readonly trusted: TrustedProxies
  readonly cors: Cors
  readonly metrics: Metrics
  readonly log: Log
  readonly bodyLimitBytes: number
}

const labelOf = (decision: Decision) => (decision.kind === 'native' ? decision.label : null)

/** Carries a sound request through the gateway and writes its one log line, whatever became of it. */
export const createNodeListener = (parts: NodeListenerParts): EdgeServerOptions => {
  const { gateway, transport, ports, cors, metrics, log, bodyLimitBytes } = parts
  const environments = new WeakMap<IncomingMessage, RequestEnvironment>()

  const write = (outgoing: ServerResponse, answer: Answer, exchange: Exchange) => {
    if (outgoing.headersSent || outgoing.destroyed) return
    outgoing.writeHead(answer.status, headersOf(answer, exchange, cors))
    outgoing.end(answer.body)
  }

  const forward = transport && createForwarder({ ...parts, transport, write })

  const serveThroughHono = getRequestListener(
    (request, { incoming }) => {
      const environment = environments.get(incoming as IncomingMessage)
      return environment && gateway.fetch(request, environment)
    },
    { overrideGlobalObjects: false, autoCleanupIncoming: false, hostname: 'localhost' },
  )

  const fail = (error: unknown, exchange: Exchange, outgoing: ServerResponse) => {
    if (error instanceof ClientGoneError) return
    const refusal = error instanceof ApiError ? error : new ApiError('internal_error')
    if (refusal !== error)
      log.error({ requestId: exchange.requestId, failure: describeError(error) }, 'gateway failed')
    exchange.outcome.error = refusal.code
    write(outgoing, errorAnswer(refusal), exchange)
  }

  const serve = async (
    exchange: Exchange,
    request: InspectedRequest,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ) => {
    const immediate = gateway.preflight(exchange) ?? (exchange.path === '*' ? emptyAnswer(204) : null)
    if (immediate) return write(outgoing, immediate, exchange)
    const decision = gateway.decide(exchange)
    if (decision.kind === 'forward') {
      exchange.outcome.fallback = decision.insteadOfNative
      return forward?.(decision.label, exchange, request, incoming, outgoing)
    }
    const fallBack = async () => {
      exchange.outcome.fallback = true
      await forward?.(labelOf(decision), exchange, request, incoming, outgoing)
      return RESPONSE_ALREADY_SENT
    }
    environments.set(incoming, { exchange, decision, ports, fallBack })
    await serveThroughHono(incoming, outgoing)
  }

  return {
    onRequest(incoming, outgoing, request) {
      const startedAt = performance.now()
      const { path, query } = request.target
      const exchange = nodeExchange(incoming, { path, query: query.slice(1) }, () =>
        readBody(incoming, { maxBytes: bodyLimitBytes }),
      )
      outgoing.once('close', () => {
        const status = outgoing.headersSent ? outgoing.statusCode : 499
        metrics.observe(exchange.outcome, status, (performance.now() - startedAt) / 1000)
        logExchange(log, exchange, status, startedAt)
      })
      serve(exchange, request, incoming, outgoing).catch((error) => fail(error, exchange, outgoing))
    },

    onRefused({ code, status }) {
      const outcome = { label: 'unmatched', runtime: 'native', fallback: false, error: code } as const
      metrics.observe(outcome, status, 0)
      log.info({ route: outcome.label, runtime: outcome.runtime, status, error: code }, 'request refused')
    },
  }
}
