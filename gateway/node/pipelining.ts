import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { runOutsideTraces } from '#shared/tracing/trace.ts'
import type { BodyBudget } from '../edge/body-budget.ts'
import type { ParseError } from './reject-connection.ts'

type Work = () => void

// How many pieces of work run per turn of the event loop, for all connections together. Other requests wait for at most
// this many. It is small, because Node accepts one new connection per turn (verified on Node 26.10.0).
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

// Runs the work after sockets have been read, in the order in which it was added. It must not throw.
const runInLaterTurn = (work: Work) => {
  added.push(work)
  if (isScheduled) return
  isScheduled = true
  runOutsideTraces(() => setImmediate(runDue))
}

interface Held {
  readonly rest: Buffer
  readonly release: () => void
  readonly resume: Socket['resume']
}

class ConnectionState {
  /** The response being written, or the last one written. */
  current: ServerResponse | undefined
  /** The response to the newest request, which may still wait for earlier ones. */
  newest: ServerResponse | undefined
  waiting = 0
  /** Reading resumes once at most this many requests wait. Null while the connection is being read. */
  readsOnAt: number | null = null
  /** Whether a request with a body was already served in this turn of the event loop. */
  hasHadTurn = false
  mustPause = false
  held: Held | null = null
}

interface Parser {
  onIncoming: (incoming: IncomingMessage, shouldKeepAlive: boolean) => number
  resume(): void
}

const state = Symbol('state of the connection')

interface Connection extends Socket {
  readonly parser?: Parser | null
  /** Set by Node while the response waits for the client. */
  readonly _paused?: boolean
  [state]?: ConnectionState
}

// An HTTP server's connections are `net` sockets to which Node has attached a parser.
const asConnection = (socket: Duplex) => socket as Connection

const stateOf = (socket: Duplex) => {
  const connection = asConnection(socket)
  connection[state] ??= new ConnectionState()
  return connection[state]
}

export const getCurrentResponse = (socket: Duplex) => stateOf(socket).current

export const getNewestResponse = (socket: Duplex) => stateOf(socket).newest

// Node may have just resumed the connection. That takes effect on the next tick, so a pause before then would be
// undone.
const pauseReading = (socket: Duplex) => process.nextTick(() => socket.pause())

// Makes `onIncoming` stop the parser after a head (HPE_PAUSED in llhttp).
const pausedCode = 21

// After an upgrade, the parser drops the rest of the read and would not report the pause.
const stopsItself = ({ headers }: IncomingMessage) => headers.upgrade !== undefined

/**
 * Node parses a whole read at once, up to 64 KiB and over a thousand requests. Pausing the parser raises a
 * `clientError` with the unparsed rest, which is parsed later through the server's own `data` listener (verified on
 * Node 26.10.0).
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
 * Keeps the rest of a read after the parser was paused. Returns false for other errors. A client that has used up its
 * share of the budget is disconnected.
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
  // Node resumes a socket when a request is complete or a response has drained. New bytes must not overtake the held
  // ones.
  socket.resume = () => socket
  return true
}

// Parses what is held, then reads on. Never call it from inside the parser.
const readOn = (socket: Connection) => {
  const connection = stateOf(socket)
  const { held } = connection
  if (socket.destroyed) return
  // A response is waiting for the client. Once it drains, Node reads on, but does not know about the held bytes.
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
  // Node would start reading a tick later. By then, a CONNECT in the held bytes could have made that impossible.
  socket.emit('resume')
  socket.emit('data', held.rest)
}

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void

// Node notices a disconnect only while reading, so a few pipelined requests are read ahead.
const maxWaiting = 16

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

// RFC 9112, section 9.6: requests after a response that closes the connection are not served.
const serveNow = (incoming: IncomingMessage, outgoing: ServerResponse, serve: Serve) => {
  if (!incoming.socket.writable) return
  const connection = stateOf(incoming.socket)
  connection.current = outgoing
  // A connection can be read several times in one turn, but a second request can arrive then only if the first has a
  // body.
  if (hasBody(incoming)) {
    connection.hasHadTurn = true
    setImmediate(() => {
      connection.hasHadTurn = false
    })
  }
  serve(incoming, outgoing)
}

// A body is read only when its request is served, because Node would otherwise buffer up to 64 KiB of each body outside
// the body budget.
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
  // One read can contain many requests, so other connections' requests are served in between.
  const waitForTurn = () => {
    // Otherwise Node could notice that the client closed its side, and abort requests that only wait for their turn.
    pauseReading(socket)
    runInLaterTurn(serveInTurn)
  }
  if (before.closed) waitForTurn()
  else before.once('close', waitForTurn)
}

/**
 * Serves pipelined requests in order. Only safe methods may run concurrently (RFC 9112, section 9.3.2). Each connection
 * serves one request per turn of the event loop.
 */
export const serveInOrder = (incoming: IncomingMessage, outgoing: ServerResponse, serve: Serve) => {
  const connection = stateOf(incoming.socket)
  const before = connection.newest
  connection.newest = outgoing
  if (before && (!before.closed || connection.hasHadTurn))
    return serveAfter(before, incoming, outgoing, serve)
  serveNow(incoming, outgoing, serve)
}
