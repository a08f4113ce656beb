import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorRowOf } from '#contracts/errors.ts'
import {
  deferContinue,
  finishWritesAfterHalfClose,
  lingerAfterEarlyResponse,
} from '#proxy/node-streams/client-connection.ts'
import type { BodyBudget } from '../edge/body-budget.ts'
import {
  type EdgeRejection,
  edgeErrorCodeOf,
  type InspectedRequest,
  inspectRequest,
  type RejectedRequest,
} from '../edge/inspect-request.ts'
import { closeTimedOutConnections, keepUnreadResponses } from './connections.ts'
import {
  type AdditionalHeaders,
  type DescribedRequest,
  describeRequest,
  writeEdgeError,
} from './error-response.ts'
import {
  getCurrentResponse,
  getNewestResponse,
  holdRest,
  makeParsersPausable,
  serveInOrder,
} from './pipelining.ts'
import { rejectConnect, rejectStrayBytes } from './reject-connection.ts'

export interface EdgeListener {
  /** Handles a valid request. Must always respond: errors it throws are not caught. */
  readonly onRequest: (incoming: IncomingMessage, outgoing: ServerResponse, request: InspectedRequest) => void
  readonly onRejected: (rejected: RejectedRequest) => void
  readonly additionalHeaders?: AdditionalHeaders
  /** Memory for bytes that were read but not parsed yet. */
  readonly bodyBudget: BodyBudget
}

export interface EdgeServerOptions extends EdgeListener {
  readonly headersTimeoutMs?: number
  readonly keepAliveTimeoutMs?: number
  readonly responseStallTimeoutMs?: number
}

const maxHeaderBytes = 16_384
const idleSweepMs = 100

/** Only well-formed requests with a canonical path reach `onRequest`. */
export const createEdgeServer = (options: EdgeServerOptions) => {
  const { onRequest, onRejected, additionalHeaders = () => ({}), bodyBudget } = options
  let draining = false

  const reportRejection = (reason: EdgeRejection, { requestId, trace }: DescribedRequest) => {
    const code = edgeErrorCodeOf(reason)
    onRejected({ code, status: errorRowOf(code).statuses[0], reason, requestId, trace })
  }

  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: options.headersTimeoutMs ?? 10_000,
    // A total timeout would abort slow uploads. Body readers limit the pauses instead.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1000, options.headersTimeoutMs ?? 1000),
    // Longer than a load balancer's usual idle timeout, so the balancer closes first.
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 75_000,
    // Requests without a body arrive with their stream already ended and destroyed.
    optimizeEmptyRequests: true,
    // `inspectRequest` checks the Host header, because Node's own error response does not follow the contract.
    requireHostHeader: false,
  })
  // Node would silently drop headers beyond this number. `maxHeaderSize` rejects the request instead.
  server.maxHeadersCount = 0

  const reject = (incoming: IncomingMessage, outgoing: ServerResponse, reason: EdgeRejection) => {
    const described = describeRequest(incoming)
    lingerAfterEarlyResponse(incoming, outgoing)
    writeEdgeError(outgoing, edgeErrorCodeOf(reason), described, additionalHeaders(incoming))
    reportRejection(reason, described)
  }

  const dropAfterHalfClose = finishWritesAfterHalfClose(server, {
    currentResponseOf: getCurrentResponse,
    newestResponseOf: getNewestResponse,
  })

  const accept = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (dropAfterHalfClose(incoming)) return
    const { method = '', url = '', httpVersion, rawHeaders } = incoming
    const request = inspectRequest(method, url, httpVersion, rawHeaders)
    if (typeof request === 'string') return reject(incoming, outgoing, request)
    // Node drops the bytes that follow an upgrade request in the same read, so the connection is unusable
    // afterwards.
    if (draining || request.requestsUpgrade) outgoing.shouldKeepAlive = false
    if (request.bodyLength !== 0) lingerAfterEarlyResponse(incoming, outgoing)
    if (request.expectsContinue) deferContinue(incoming, outgoing)
    onRequest(incoming, outgoing, request)
  }

  const onClientError = (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (holdRest(error, socket, bodyBudget)) return
    const rejected = rejectStrayBytes(error, socket, additionalHeaders)
    if (rejected) reportRejection(rejected.code, rejected)
  }

  // Node no longer closes these, nor reports that their clients have stopped reading.
  const detached = new Set<Duplex>()

  const onConnect = (incoming: IncomingMessage, stream: Duplex) => {
    const { socket } = incoming
    detached.add(socket)
    socket.on('timeout', () => server.emit('timeout', socket))
    socket.once('close', () => detached.delete(socket))
    reportRejection('method_not_allowed', rejectConnect(incoming, stream))
  }

  const onRequestHead = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    serveInOrder(incoming, outgoing, accept)

  makeParsersPausable(server)
  keepUnreadResponses(server)
  server.on('request', onRequestHead)
  server.on('checkContinue', onRequestHead)
  server.on('checkExpectation', onRequestHead)
  server.on('connect', onConnect)
  server.on('clientError', onClientError)
  closeTimedOutConnections(server, {
    stallTimeoutMs: options.responseStallTimeoutMs ?? 60_000,
    keepAliveTimeoutMs: server.keepAliveTimeout,
  })

  return {
    server,
    /** Port 0 means any free one. */
    listen: (port: number, host: string) =>
      new Promise<number>((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          resolve(readPort(server))
        })
      }),
    /** Makes every further response close its connection. New connections are still accepted. */
    drain() {
      draining = true
    },
    /** Stops accepting connections and resolves once all are closed. After `drainTimeoutMs`, the rest are destroyed. */
    close: (drainTimeoutMs: number) =>
      new Promise<void>((resolve) => {
        draining = true
        // Connections become idle one by one, as their last responses end.
        const sweepInterval = setInterval(() => server.closeIdleConnections(), idleSweepMs)
        const destroyTimer = setTimeout(() => {
          server.closeAllConnections()
          for (const socket of detached) socket.destroy()
        }, drainTimeoutMs)
        server.close(() => {
          clearInterval(sweepInterval)
          clearTimeout(destroyTimer)
          resolve()
        })
      }),
  }
}

export type EdgeServer = ReturnType<typeof createEdgeServer>

const readPort = (server: Server) => {
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('the server is not listening on a TCP port')
  return address.port
}
