import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { lingerAfterEarlyResponse } from '#proxy/node-streams/linger-after-early-response.ts'
import { deferContinue } from '#proxy/undici/expect-continue.ts'
import { type EdgeErrorCode, type InspectedRequest, inspectRequest } from '../edge/inspect-request.ts'
import { type AdditionalHeaders, edgeErrorStatus, writeEdgeError } from './error-response.ts'
import { parseErrorCode } from './parse-error.ts'
import { currentResponseOn, serveInOrder } from './pipelining.ts'
import { rejectConnect, rejectStrayBytes } from './reject-connection.ts'

export interface RejectedRequest {
  readonly code: EdgeErrorCode
  readonly status: number
  /** Absent where no request could be read at all. */
  readonly incoming?: IncomingMessage
}

export interface EdgeServerOptions {
  /** A sound request. It must answer in every case; nothing it throws is caught here. */
  readonly onRequest: (incoming: IncomingMessage, outgoing: ServerResponse, request: InspectedRequest) => void
  /** A request was refused and is already answered: to be logged and counted. */
  readonly onRejected: (refused: RejectedRequest) => void
  readonly additionalHeaders?: AdditionalHeaders
  readonly headersTimeoutMs?: number
  readonly keepAliveTimeoutMs?: number
  /** How long a client may take nothing of what it is sent. */
  readonly responseStallTimeoutMs?: number
}

export interface EdgeServer {
  readonly server: Server
  /** Resolves to the port, which the system chooses for 0. */
  listen(port: number, host: string): Promise<number>
  /** From now on every answer closes its connection, while new ones are still taken. */
  drain(): void
  /** Takes no more connections and resolves when the last is closed; after `graceMs` the rest is cut off. */
  close(graceMs: number): Promise<void>
}

const maxHeaderBytes = 16_384
const idleSweepMs = 100

/** The HTTP server of the gateway on Node: whatever reaches `onRequest` is well-formed and has one canonical path. */
export const createEdgeServer = (options: EdgeServerOptions): EdgeServer => {
  const { onRequest, onRejected: onRefused, additionalHeaders: headersBeside = () => ({}) } = options
  let draining = false

  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: options.headersTimeoutMs ?? 10_000,
    // A total time would cut slow uploads off; whoever reads a body bounds the pauses in it.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1000, options.headersTimeoutMs ?? 1000),
    // Longer than the idle time of common balancers, so that it is they who close.
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 75_000,
    // Node's own refusal would not have the shape of the contract.
    requireHostHeader: false,
  })
  // The limit in bytes holds; a limit by number would drop headers silently.
  server.maxHeadersCount = 0

  const accept = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = '', url = '', httpVersion, rawHeaders } = incoming
    const request = inspectRequest(method, url, httpVersion, rawHeaders)
    if (typeof request === 'string') {
      lingerAfterEarlyResponse(incoming, outgoing)
      writeEdgeError(outgoing, request, headersBeside(incoming))
      onRefused({ code: request, status: edgeErrorStatus(request), incoming })
      return
    }
    // Where a request asks for an upgrade, Node drops what came behind it with the same read: nothing is served there.
    if (draining || request.asksToUpgrade) outgoing.shouldKeepAlive = false
    if (request.bodyLength !== 0) lingerAfterEarlyResponse(incoming, outgoing)
    if (request.expectsContinue) deferContinue(incoming, outgoing)
    onRequest(incoming, outgoing, request)
  }

  const onClientError = (error: NodeJS.ErrnoException, socket: Duplex) => {
    const code = parseErrorCode(error)
    if (code === undefined) socket.destroy()
    else if (rejectStrayBytes(socket, code, headersBeside) && code)
      onRefused({ code, status: edgeErrorStatus(code) })
  }

  const onConnect = (incoming: IncomingMessage, stream: Duplex) => {
    rejectConnect(incoming, stream)
    onRefused({ code: 'method_not_allowed', status: edgeErrorStatus('method_not_allowed') })
  }

  // While an answer is still being made, its own deadlines hold, of which this server knows nothing. One that is not
  // taken to its end is reset: an orderly close could pass for that end.
  const onIdle = (socket: Socket) => {
    const answer = currentResponseOn(socket)
    if (!answer || answer.writableFinished) socket.destroy()
    else if (answer.writableEnded || answer.writableNeedDrain) socket.resetAndDestroy()
  }

  const onRequestHead = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    serveInOrder(incoming, outgoing, accept)

  server.on('request', onRequestHead)
  server.on('checkContinue', onRequestHead)
  server.on('checkExpectation', onRequestHead)
  server.on('connect', onConnect)
  server.on('clientError', onClientError)
  server.setTimeout(options.responseStallTimeoutMs ?? 60_000, onIdle)

  return {
    server,
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          resolve(portOf(server))
        })
      }),
    drain() {
      draining = true
    },
    close: (graceMs) =>
      new Promise((resolve) => {
        draining = true
        // Connections fall idle one by one as their last answer ends.
        const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs)
        const cutOff = setTimeout(() => server.closeAllConnections(), graceMs)
        server.close(() => {
          clearInterval(sweep)
          clearTimeout(cutOff)
          resolve()
        })
      }),
  }
}

const portOf = (server: Server) => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return address.port
}
