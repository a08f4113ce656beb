import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Ports } from '#native-routes/ports.ts'
import type { BodyProgressLimits } from '#proxy/body-progress.ts'
import { writeWhole } from '#proxy/node-streams/write-whole.ts'
import type { UndiciTransport } from '#proxy/undici/transport-undici.ts'
import type { ComposedGateway } from '../app/compose-gateway.ts'
import { headersOf, type RequestEnvironment } from '../app/create-app.ts'
import { answerOfFault, carryExchange, recordExchange, recordRefusal } from '../app/dispatch.ts'
import type { InspectedRequest } from '../edge/inspect-request.ts'
import type { RequestContext } from '../request/context.ts'
import { errorResponseHeaders } from '../request/cors.ts'
import { createRequestContext } from '../request/create-context.ts'
import type { GatewayResponse } from '../request/response.ts'
import { edgeErrorOn } from './error-response.ts'
import { clientOf, createForwarder } from './forward.ts'
import type { EdgeServerOptions } from './http-server.ts'
import { ClientGoneError, readBody } from './read-body.ts'

export interface NodeListenerParts extends ComposedGateway {
  /** Null where no core is configured: then nothing is ever forwarded. */
  readonly transport: UndiciTransport | null
  readonly ports: Ports
  readonly bodyProgress: BodyProgressLimits
}

const single = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

const refuseToFallBack = () => Promise.reject(new Error('there is no core behind a page'))

// The listener below makes a URL of both, and answers by itself where they make none: an absolute target, or a host
// like `999.1.1.1`, which RFC 3986 takes for a name. Nobody behind it asks for the host.
const settleUrl = (incoming: IncomingMessage, { target }: InspectedRequest) => {
  incoming.url = target.target
  incoming.headers.host = 'localhost'
}

/** Carries a sound request through the gateway and writes its one log line, whatever became of it. */
export const createNodeListener = (parts: NodeListenerParts): EdgeServerOptions => {
  const { gateway, transport, ports, cors, log, bodyBudget, bodyLimitBytes, bodyProgress } = parts
  const environments = new WeakMap<IncomingMessage, RequestEnvironment>()

  const write = (outgoing: ServerResponse, answer: GatewayResponse, exchange: RequestContext) => {
    if (outgoing.headersSent || outgoing.destroyed) return
    const headers = headersOf(answer, exchange, cors)
    const { status, body = '' } = answer
    if (status !== 204) headers['content-length'] = String(Buffer.byteLength(body))
    outgoing.writeHead(status, headers)
    if (body === '' || exchange.method === 'HEAD') outgoing.end()
    else writeWhole(outgoing, body, 'utf8')
  }

  const forward = transport
    ? createForwarder({ ...parts, transport, write })
    : () => Promise.reject(new Error('nothing is forwarded without a core'))

  const serveThroughHono = getRequestListener(
    (request, { incoming }) => {
      const environment = environments.get(incoming as IncomingMessage)
      return environment && gateway.fetch(request, environment)
    },
    { overrideGlobalObjects: false, autoCleanupIncoming: false, hostname: 'localhost' },
  )

  const serve = (
    exchange: RequestContext,
    request: InspectedRequest,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ) =>
    carryExchange<void>(gateway, exchange, {
      respond: (answer) => write(outgoing, answer, exchange),
      forward: (label) => forward(label, exchange, request, incoming, outgoing),
      dispatch: async (decision, sendToCore) => {
        if (decision.kind !== 'page') {
          const result = await gateway.serve(decision, exchange, ports)
          return result === 'fall-back' ? sendToCore() : write(outgoing, result, exchange)
        }
        environments.set(incoming, { exchange, decision, ports, fallBack: refuseToFallBack })
        settleUrl(incoming, request)
        return serveThroughHono(incoming, outgoing)
      },
    })

  return {
    onRequest(incoming, outgoing, request) {
      const startedAt = performance.now()
      const { path, query } = request.target
      const exchange = createRequestContext({
        method: incoming.method ?? 'GET',
        path,
        query,
        header: (name) => single(incoming.headers[name]),
        clientAddress: () => clientOf(incoming, request, parts.trusted).address,
        bodyBudget,
        read: (reservation, timeoutMs) =>
          readBody(incoming, outgoing, reservation, {
            maxBytes: bodyLimitBytes,
            progress: bodyProgress,
            timeoutMs,
          }),
      })
      outgoing.once('close', () => {
        exchange.outcome.error ??= edgeErrorOn(outgoing)
        if (outgoing.headersSent && !outgoing.writableFinished) exchange.outcome.error ??= 'client_gone'
        recordExchange(parts, exchange, outgoing.headersSent ? outgoing.statusCode : 499, startedAt)
      })
      const onFault = (error: unknown) => {
        exchange.releaseBody()
        if (error instanceof ClientGoneError) return
        write(outgoing, answerOfFault(error, exchange, log), exchange)
      }
      try {
        serve(exchange, request, incoming, outgoing)?.then(exchange.releaseBody, onFault)
      } catch (error) {
        onFault(error)
      }
    },

    onRejected: ({ code, status }) => recordRefusal(parts, code, status),

    additionalHeaders: ({ method = '', url: target = '', headers }) =>
      errorResponseHeaders(cors, { method, target, header: (name) => single(headers[name]) }),
  }
}
