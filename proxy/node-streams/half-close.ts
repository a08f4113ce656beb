/**
 * Node ends a connection when its client ends it, so nothing more can be written, and HTTP has no rule for it. With
 * `httpAllowHalfOpen`, which Node does not document, it leaves that to this module, and closes the connection after the
 * newest response (verified on Node 26.10.0). A request whose body is incomplete is an error of its parser, also with that.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

const hasEndedSide = ({ socket }: IncomingMessage) => socket.readableEnded

const endedByHalfClose = new WeakSet<ServerResponse>()

/**
 * To be called for a request whose response lasts as long as its client listens: it ends when the client closes its side, as
 * if the request were safe.
 */
export const endOnHalfClose = (outgoing: ServerResponse) => {
  endedByHalfClose.add(outgoing)
  if (hasEndedSide(outgoing.req)) outgoing.req.socket.end()
}

interface HalfCloseOptions {
  /** The response that is being written on a connection, or the last one that was. */
  readonly currentResponseOf: (socket: Duplex) => ServerResponse | undefined
  /** The response to the newest request of a connection, which may wait for earlier ones. */
  readonly newestResponseOf: (socket: Duplex) => ServerResponse | undefined
  readonly isSafe: (method: string) => boolean
}

// The property is public and missing from the types of Node.
const allowHalfOpen = (server: Server) => {
  ;(server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true
}

/**
 * Finishes writes whose client has closed its side: the body was sent whole, the core or native may have applied it, and
 * the client may still read. Every other request ends with that side. Returns a function that drops a request which was
 * received before and is not served yet: it ends the connection, and returns whether it did.
 */
export const finishWritesAfterHalfClose = (server: Server, options: HalfCloseOptions) => {
  const { currentResponseOf, newestResponseOf, isSafe } = options
  const faulty = new WeakSet<Duplex>()
  const mustStayOpen = (socket: Duplex) => {
    const current = currentResponseOf(socket)
    // Between two requests, what is served next decides.
    if (!current || current.writableFinished) return newestResponseOf(socket) !== current
    return !endedByHalfClose.has(current) && !isSafe(current.req.method ?? '')
  }

  allowHalfOpen(server)
  // After an error of the parser, the connection ends with its response. A paused parser has no error.
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
