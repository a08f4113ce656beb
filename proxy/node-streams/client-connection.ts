import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { isSafe } from '../core-request.ts'

// By default, Node ends a connection when the client closes its side, so no response can be written. HTTP has no rule for
// this. The undocumented `httpAllowHalfOpen` leaves the decision to this module. Node still closes after the newest
// response, and still treats an incomplete body as a parser error (verified on Node 26.10.0).

const hasEndedSide = ({ socket }: IncomingMessage) => socket.readableEnded

const endedByHalfClose = new WeakSet<ServerResponse>()

/**
 * Ends the response as soon as the client closes its side, even for a write. Call this for responses that last as long
 * as the client listens.
 */
export const endOnHalfClose = (outgoing: ServerResponse) => {
  endedByHalfClose.add(outgoing)
  if (hasEndedSide(outgoing.req)) outgoing.req.socket.end()
}

interface HalfCloseOptions {
  readonly currentResponseOf: (socket: Duplex) => ServerResponse | undefined
  readonly newestResponseOf: (socket: Duplex) => ServerResponse | undefined
}

// A public property that Node's types lack.
const allowHalfOpen = (server: Server) => {
  ;(server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true
}

/**
 * If a client closes its side during a write, finishes the write, because its body has arrived in full, it may have
 * been applied, and the client may still read the response. Ends the connection of any other request. Returns a
 * function to call before a request is served. If the client has closed its side and the request is not a write, the
 * function ends the connection and returns true.
 */
export const finishWritesAfterHalfClose = (server: Server, options: HalfCloseOptions) => {
  const { currentResponseOf, newestResponseOf } = options
  const faulty = new WeakSet<Duplex>()
  const mustStayOpen = (socket: Duplex) => {
    const current = currentResponseOf(socket)
    // Between two requests, stay open only if another one is waiting.
    if (!current || current.writableFinished) return newestResponseOf(socket) !== current
    // The parser reports no error for an incomplete body if the request also asked for an upgrade.
    return current.req.complete && !endedByHalfClose.has(current) && !isSafe(current.req.method ?? '')
  }

  allowHalfOpen(server)
  // After a parser error, the connection ends with the error response. A paused parser is not an error.
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

const lingerTimeoutMs = 5000

/**
 * After a connection's last response Node calls `socket.destroySoon`, even while the client is sending its body
 * (verified on Node 26.10.0). Unread bytes turn the close into a reset, which discards what the client has not read yet
 * (RFC 9112, section 9.6).
 */
export const lingerAfterEarlyResponse = (incoming: IncomingMessage, outgoing: ServerResponse) => {
  outgoing.once('prefinish', () => {
    const { socket } = incoming
    // Without a body, the request's stream ends before `complete` is set.
    if (incoming.complete || incoming.readableEnded || socket.destroyed) return
    const { destroySoon } = socket
    socket.destroySoon = () => socket.end()
    const timeout = setTimeout(() => socket.destroy(), lingerTimeoutMs).unref()
    incoming.once('close', () => {
      clearTimeout(timeout)
      socket.destroySoon = destroySoon
      if (socket.writableEnded) socket.destroy()
    })
    incoming.resume()
  })
}

const awaitingContinue = new WeakMap<IncomingMessage, ServerResponse>()

/**
 * Remembers that a client waits for `100 Continue` before it sends its body (RFC 9110, section 10.1.1). If it never
 * gets one, Node closes the connection after the response, since what comes next could be the body or another request.
 */
export const deferContinue = (incoming: IncomingMessage, outgoing: ServerResponse) => {
  awaitingContinue.set(incoming, outgoing)
}

/** Call this before reading a body. */
export const sendContinue = (incoming: IncomingMessage) => {
  const outgoing = awaitingContinue.get(incoming)
  if (!outgoing) return
  awaitingContinue.delete(incoming)
  // The error response to an invalid body may have been sent before anything reads the body.
  if (!outgoing.headersSent) outgoing.writeContinue()
}
