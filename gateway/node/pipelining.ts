import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void

const served = Symbol('answer to the request that is served')
const newest = Symbol('answer to the newest request')
const waiting = Symbol('number of requests that wait')

interface PipelinedConnection extends Duplex {
  [served]?: ServerResponse
  [newest]?: ServerResponse
  [waiting]?: number
}

const asConnection = (socket: Duplex): PipelinedConnection => socket

// A client that hangs up is noticed only while its connection is read, so one that sends a few ahead is still read.
const mostWaiting = 16

/** The answer that is under way on a connection, or the last that was. */
export const currentResponseOn = (socket: Duplex) => asConnection(socket)[served]

/** The answer to the newest request of a connection, which may have to wait for those before it. */
export const newestResponseOn = (socket: Duplex) => asConnection(socket)[newest]

// RFC 9112 section 9.6: nothing is served behind an answer that ends the connection, for its own would reach nobody.
const serveNow = (incoming: IncomingMessage, outgoing: ServerResponse, serve: Serve) => {
  if (!incoming.socket.writable) return
  asConnection(incoming.socket)[served] = outgoing
  serve(incoming, outgoing)
}

const count = (socket: Duplex, change: 1 | -1) => {
  const connection = asConnection(socket)
  connection[waiting] = (connection[waiting] ?? 0) + change
  return connection[waiting]
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const serveAfter = (
  before: ServerResponse,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  serve: Serve,
) => {
  const { socket } = incoming
  // Node buffers the body of a request that waits, up to 64 KiB of each, which no budget counts.
  const mustHoldBack = count(socket, 1) >= mostWaiting || hasBody(incoming)
  // Node reads on as soon as a request is complete, so that it can be held back only after that.
  if (mustHoldBack) process.nextTick(() => socket.pause())
  before.once('close', () => {
    if (count(socket, -1) < mostWaiting) socket.resume()
    if (outgoing.destroyed) socket.destroy()
    serveNow(incoming, outgoing, serve)
  })
}

/** Serves the requests of a connection one after the other: only safe ones might go side by side (RFC 9112, 9.3.2). */
export const serveInOrder = (incoming: IncomingMessage, outgoing: ServerResponse, serve: Serve) => {
  const connection = asConnection(incoming.socket)
  const before = connection[newest]
  connection[newest] = outgoing
  if (before && !before.closed) serveAfter(before, incoming, outgoing, serve)
  else serveNow(incoming, outgoing, serve)
}
