import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void

const current = Symbol('current response')
const newest = Symbol('newest response')
const waiting = Symbol('number of waiting requests')

interface PipelinedConnection extends Duplex {
  [current]?: ServerResponse
  [newest]?: ServerResponse
  [waiting]?: number
}

const asConnection = (socket: Duplex): PipelinedConnection => socket

// Node detects a disconnect only while it reads the connection, so a few pipelined requests are read ahead.
const maxWaiting = 16

/** The response that is being written on a connection, or the last one that was. */
export const getCurrentResponse = (socket: Duplex) => asConnection(socket)[current]

/** The response to the newest request of a connection, which may still be waiting for earlier ones. */
export const getNewestResponse = (socket: Duplex) => asConnection(socket)[newest]

// RFC 9112, section 9.6: requests after a response that closes the connection are not served.
const serveNow = (incoming: IncomingMessage, outgoing: ServerResponse, serve: Serve) => {
  if (!incoming.socket.writable) return
  asConnection(incoming.socket)[current] = outgoing
  serve(incoming, outgoing)
}

const changeWaiting = (socket: Duplex, change: 1 | -1) => {
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
  // Node buffers up to 64 KiB of the body of each waiting request, which the body budget does not include.
  const mustPause = changeWaiting(socket, 1) >= maxWaiting || hasBody(incoming)
  // Node resumes reading when a request is complete, so the socket can only be paused after that.
  if (mustPause) process.nextTick(() => socket.pause())
  before.once('close', () => {
    if (changeWaiting(socket, -1) < maxWaiting) socket.resume()
    if (outgoing.destroyed) socket.destroy()
    serveNow(incoming, outgoing, serve)
  })
}

/** Serves pipelined requests in order: only safe methods may run concurrently (RFC 9112, section 9.3.2). */
export const serveInOrder = (incoming: IncomingMessage, outgoing: ServerResponse, serve: Serve) => {
  const connection = asConnection(incoming.socket)
  const before = connection[newest]
  connection[newest] = outgoing
  if (before && !before.closed) serveAfter(before, incoming, outgoing, serve)
  else serveNow(incoming, outgoing, serve)
}
