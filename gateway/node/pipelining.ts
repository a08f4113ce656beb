import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { runOutsideTraces } from '#shared/tracing/trace.ts'
import type { BodyBudget } from '../edge/body-budget.ts'
import type { ParseError } from './reject-connection.ts'

type Work = () => void

// Whatever the number of connections, so other requests wait for no more than this. It is small because Node accepts one
// new connection in a turn (verified on Node 26.10.0).
const maxPerTurn = 4

const due: Work[] = []
const added: Work[] = []
let isScheduled = false

const runDue = () => {
  for (const work of due.splice(0, maxPerTurn)) work()
  for (const work of added.splice(0)) due.push(work)
  if (due.length > 0) setImmediate(runDue)
  else isScheduled = false
}

// Sockets are read in between. Work that is added first runs first; it must not throw.
const runInLaterTurn = (work: Work) => {
  added.push(work)
  if (isScheduled) return
  isScheduled = true
  runOutsideTraces(() => setImmediate(runDue))
}

interface Held {
  readonly rest: Buffer
  /** Returns its memory to the budget. */
  readonly release: () => void
  readonly resume: Socket['resume']
}

class ConnectionState {
  /** The response that is being written, or the last one that was. */
  current: ServerResponse | undefined
  /** The response to the newest request, which may still be waiting for earlier ones. */
  newest: ServerResponse | undefined
  /** How many requests wait for earlier ones. */
  waiting = 0
  /** The number of waiting requests at which the connection is read on; null while it is read. */
  readsOnAt: number | null = null
  /** Whether a request with a body was served in this turn of the event loop. */
  hasHadTurn = false
  /** Whether the parser pauses or has paused after a head. */
  mustPause = false
  /** What was read and is not parsed yet. */
  held: Held | null = null
}

interface Parser {
  onIncoming: (incoming: IncomingMessage, shouldKeepAlive: boolean) => number
  resume(): void
}

const state = Symbol('state of the connection')

interface Connection extends Socket {
  readonly parser?: Parser | null
  /** Whether Node has paused it, as the response that is being written waits for the client. */
  readonly _paused?: boolean
  [state]?: ConnectionState
}

// The sockets of an HTTP server are those of `net`, with the parser that Node attaches.
const asConnection = (socket: Duplex) => socket as Connection

const stateOf = (socket: Duplex) => {
  const connection = asConnection(socket)
  connection[state] ??= new ConnectionState()
  return connection[state]
}

/** The response that is being written on a connection, or the last one that was. */
export const getCurrentResponse = (socket: Duplex) => stateOf(socket).current

/** The response to the newest request of a connection, which may still be waiting for earlier ones. */
export const getNewestResponse = (socket: Duplex) => stateOf(socket).newest

// Node may have resumed the connection a moment ago, which takes effect in a tick.
const pauseReading = (socket: Duplex) => process.nextTick(() => socket.pause())

// Stops the parser where `onIncoming` returns it (HPE_PAUSED of llhttp), after a head.
const pausedCode = 21

// The parser drops what follows an upgrade in the same read, and would not report that it was paused there.
const stopsItself = ({ headers }: IncomingMessage) => headers.upgrade !== undefined

/**
 * Lets the parsers of a server's connections be paused. Node parses all of a read at once, up to 64 KiB with more than a
 * thousand requests. A parser that a callback pauses makes Node report an error to `clientError`, with the read and the number
 * of bytes that were parsed. The server's own listener of `data` parses the rest later (verified on Node 26.10.0).
 */
export const makeParsersPausable = (server: Server) => {
  server.on('connection', (socket: Connection) => {
    const { parser } = socket
    if (!parser) return
    const { onIncoming } = parser
    parser.onIncoming = (incoming, shouldKeepAlive) => {
      const result = onIncoming(incoming, shouldKeepAlive)
      const connection = stateOf(socket)
      if (!connection.mustPause) return result
      if (!stopsItself(incoming)) return pausedCode
      connection.mustPause = false
      pauseReading(socket)
      return result
    }
  })
}

const countRest = (rest: Buffer, socket: Socket, budget: BodyBudget) => {
  const client = { clientAddress: () => socket.remoteAddress ?? '' }
  const bytes = rest.buffer.byteLength
  if (!budget.admits(bytes, client)) socket.destroy()
  const release = budget.count(bytes, client.clientAddress())
  socket.once('close', release)
  return () => {
    socket.off('close', release)
    release()
  }
}

/**
 * Keeps the rest of a read at which the parser was paused; false for other errors. Nothing more is read until a request has
 * been served. The connection of a client that has used up its share of the budget is closed.
 */
export const holdRest = (
  { code, bytesParsed = 0, rawPacket }: ParseError,
  stream: Duplex,
  budget: BodyBudget,
): boolean => {
  const socket = asConnection(stream)
  const connection = stateOf(socket)
  if (code !== 'HPE_PAUSED' || !rawPacket || !connection.mustPause) return false
  connection.mustPause = false
  const rest = rawPacket.subarray(bytesParsed)
  connection.held = { rest, release: countRest(rest, socket, budget), resume: socket.resume }
  pauseReading(socket)
  // Node resumes a socket when a request is complete and when a response has drained. What it then reads is after the rest.
  socket.resume = () => socket
  return true
}

// Parses what is held of a connection, then reads on. To be called outside of the parser.
const readOn = (socket: Connection) => {
  const connection = stateOf(socket)
  const { held } = connection
  if (socket.destroyed) return
  // While a response waits for the client. Node reads on when it has drained, except for what is held.
  if (socket._paused) {
    if (held) socket.once('drain', () => runInLaterTurn(() => readOn(socket)))
    return
  }
  if (!held) return socket.resume()
  connection.held = null
  held.release()
  socket.resume = held.resume
  socket.parser?.resume()
  socket.resume()
  // Node would start to read in a tick, and could not after a CONNECT in the rest.
  socket.emit('resume')
  socket.emit('data', held.rest)
}

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void

// Node detects a disconnect only while it reads the connection, so a few pipelined requests are read ahead.
const maxWaiting = 16

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

// RFC 9112, section 9.6: requests after a response that closes the connection are not served.
const serveNow = (incoming: IncomingMessage, outgoing: ServerResponse, serve: Serve) => {
  if (!incoming.socket.writable) return
  const connection = stateOf(incoming.socket)
  connection.current = outgoing
  // One turn can read a connection several times, but more than one request only if the first one has a body.
  if (hasBody(incoming)) {
    connection.hasHadTurn = true
    setImmediate(() => {
      connection.hasHadTurn = false
    })
  }
  serve(incoming, outgoing)
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
  const connection = stateOf(socket)
  connection.waiting += 1
  if (connection.waiting >= maxWaiting || hasBody(incoming)) {
    connection.readsOnAt = fewWaiting(incoming)
    connection.mustPause = true
  }
  const serveInTurn = () => {
    connection.waiting -= 1
    if (outgoing.destroyed) socket.destroy()
    if (connection.readsOnAt === null || connection.waiting <= connection.readsOnAt) {
      connection.readsOnAt = null
      readOn(asConnection(socket))
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
  const connection = stateOf(incoming.socket)
  const before = connection.newest
  connection.newest = outgoing
  if (before && (!before.closed || connection.hasHadTurn))
    return serveAfter(before, incoming, outgoing, serve)
  serveNow(incoming, outgoing, serve)
}
