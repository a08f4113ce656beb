/**
 * Node ends a connection when the client closes its side, so no response can be written, and HTTP has no rule for it.
 * The undocumented `httpAllowHalfOpen` leaves that to this module; Node then closes after the newest response, and an
 * incomplete body is still a parser error (verified on Node 26.10.0).
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

const hasEndedSide = ({ socket }: IncomingMessage) => socket.readableEnded

const endedByHalfClose = new WeakSet<ServerResponse>()

/**
 * Ends the response as soon as the client closes its side, even for a write. For responses that last as long as the
 * client listens.
 */
export const endOnHalfClose = (outgoing: ServerResponse) => {
  endedByHalfClose.add(outgoing)
  if (hasEndedSide(outgoing.req)) outgoing.req.socket.end()
}

interface HalfCloseOptions {
  /** Returns the response being written, or the last one written. */
  readonly currentResponseOf: (socket: Duplex) => ServerResponse | undefined
  /** Returns the response to the newest request, which may still wait for earlier ones. */
  readonly newestResponseOf: (socket: Duplex) => ServerResponse | undefined
  readonly isSafe: (method: string) => boolean
}

// A public property that Node's types lack.
const allowHalfOpen = (server: Server) => {
  ;(server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true
}

/**
 * Finishes a write whose client closed its side: the body arrived in full, it may have been applied, and the client may
 * still read. Any other request ends. Returns a function that drops a request not yet served by ending its connection,
 * and says whether it did.
 */
export const finishWritesAfterHalfClose = (server: Server, options: HalfCloseOptions) => {
  const { currentResponseOf, newestResponseOf, isSafe } = options
  const faulty = new WeakSet<Duplex>()
  const mustStayOpen = (socket: Duplex) => {
    const current = currentResponseOf(socket)
    // Between two requests, the next one decides.
    if (!current || current.writableFinished) return newestResponseOf(socket) !== current
    return !endedByHalfClose.has(current) && !isSafe(current.req.method ?? '')
  }

  allowHalfOpen(server)
  // After a parser error, the connection ends with its response. Pausing the parser is not an error.
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    if (code !== 'HPE_PAUSED') faulty.add(socket)
  })
  server.on('connection', (socket) => {
    socket.on('end', () => {
      if (!faulty.has(socket) && !mustStayOpen(socket)) socket.end()
    })
  })

  return (incoming: IncomingMessage) => {
    if (!hasEndedSide(incoming) || !isSafe(incoming.method ?? '')) return false
    incoming.socket.end()
    return true
  }
}
