import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { runInLaterTurn } from './later-turn.ts'
import { pauseAfterThisHead, pauseReading, readOn } from './read-ahead.ts'

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void

const current = Symbol('current response')
const newest = Symbol('newest response')
const waiting = Symbol('number of waiting requests')
const readsOnAt = Symbol('number of waiting requests at which the connection is read on')
const hasHadTurn = Symbol('whether a request with a body was served in this turn of the event loop')

interface PipelinedConnection extends Duplex {
  [current]?: ServerResponse
  [newest]?: ServerResponse
  [waiting]?: number
  [readsOnAt]?: number | undefined
  [hasHadTurn]?: boolean
}

const asConnection = (socket: Duplex): PipelinedConnection => socket

// Node detects a disconnect only while it reads the connection, so a few pipelined requests are read ahead.
const maxWaiting = 16

/** The response that is being written on a connection, or the last one that was. */
export const getCurrentResponse = (socket: Duplex) => asConnection(socket)[current]

/** The response to the newest request of a connection, which may still be waiting for earlier ones. */
export const getNewestResponse = (socket: Duplex) => asConnection(socket)[newest]

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

// RFC 9112, section 9.6: requests after a response that closes the connection are not served.
const serveNow = (incoming: IncomingMessage, outgoing: ServerResponse, serve: Serve) => {
  if (!incoming.socket.writable) return
  const connection = asConnection(incoming.socket)
  connection[current] = outgoing
  // One turn can read a connection several times, but more than one request only if the first one has a body.
  if (hasBody(incoming)) {
    connection[hasHadTurn] = true
    setImmediate(() => {
      connection[hasHadTurn] = false
    })
  }
  serve(incoming, outgoing)
}

const changeWaiting = (socket: Duplex, change: 1 | -1) => {
  const connection = asConnection(socket)
  connection[waiting] = (connection[waiting] ?? 0) + change
  return connection[waiting]
}

// Reads on once no more than that many requests wait. A body is read when it is the turn of its request: Node would buffer up
// to 64 KiB of each, which the body budget does not include.
const fewWaiting = (incoming: IncomingMessage) => (hasBody(incoming) ? 0 : maxWaiting / 2)

const serveAfter = (
  before: ServerResponse,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  serve: Serve,
) => {
  const { socket } = incoming
  const connection = asConnection(socket)
  const mustPause = changeWaiting(connection, 1) >= maxWaiting || hasBody(incoming)
  if (mustPause) {
    connection[readsOnAt] = fewWaiting(incoming)
    pauseAfterThisHead(socket)
  }
  const serveInTurn = () => {
    const left = changeWaiting(connection, -1)
    if (outgoing.destroyed) socket.destroy()
    if (left <= (connection[readsOnAt] ?? left)) {
      connection[readsOnAt] = undefined
      readOn(socket)
    }
    serveNow(incoming, outgoing, serve)
  }
  // A read can contain many requests: those of other connections are served in between.
  const waitForTurn = () => {
    // The end of what the client sends would abort requests that could have been served by now.
    pauseReading(socket)
    runInLaterTurn(serveInTurn)
  }
  if (before.closed) waitForTurn()
  else before.once('close', waitForTurn)
}

/**
 * Serves pipelined requests in order: only safe methods may run concurrently (RFC 9112, section 9.3.2). One request of a
 * connection is served in each turn of the event loop.
 */
export const serveInOrder = (incoming: IncomingMessage, outgoing: ServerResponse, serve: Serve) => {
  const connection = asConnection(incoming.socket)
  const before = connection[newest]
  connection[newest] = outgoing
  if (before && (!before.closed || connection[hasHadTurn]))
    return serveAfter(before, incoming, outgoing, serve)
  serveNow(incoming, outgoing, serve)
}
