/**
 * Node parses all of a read at once, up to 64 KiB with more than a thousand requests. A callback of its parser can stop it:
 * llhttp pauses where `onIncoming` returns 21 (HPE_PAUSED), after a head. Node then reports an error with that code to
 * `clientError`, with the read and the number of bytes that were parsed. The server's own listener of `data` parses the rest
 * later (verified on Node 26.10.0).
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { BodyBudget } from '../edge/body-budget.ts'
import { runInLaterTurn } from './later-turn.ts'
import type { ParseError } from './parse-error.ts'

const pausedCode = 21

interface Parser {
  onIncoming: (incoming: IncomingMessage, shouldKeepAlive: boolean) => number
  resume(): void
}

const mustPause = Symbol('whether the parser pauses or has paused after a head')
const held = Symbol('what was read and is not parsed yet')

interface ParsedConnection extends Socket {
  readonly parser?: Parser | null
  /** Whether Node has paused it, as the response that is being written waits for the client. */
  readonly _paused?: boolean
  [mustPause]?: boolean
  [held]?: Held | null
}

interface Held {
  readonly rest: Buffer
  /** Returns its memory to the budget. */
  readonly release: () => void
  readonly resume: Socket['resume']
}

// The sockets of an HTTP server are those of `net`, with the parser that Node attaches.
const asParsed = (socket: Duplex) => socket as ParsedConnection

// The parser drops what follows an upgrade in the same read, and would not report that it was paused there.
const stopsItself = ({ headers }: IncomingMessage) => headers.upgrade !== undefined

/** Stops reading a connection until `readOn`. Node may have resumed it a moment ago, which takes effect in a tick. */
export const pauseReading = (socket: Duplex) => process.nextTick(() => socket.pause())

/** Lets `pauseAfterThisHead` pause the parsers of a server's connections. */
export const makeParsersPausable = (server: Server) => {
  server.on('connection', (socket: ParsedConnection) => {
    const { parser } = socket
    if (!parser) return
    const { onIncoming } = parser
    parser.onIncoming = (incoming, shouldKeepAlive) => {
      const result = onIncoming(incoming, shouldKeepAlive)
      if (!socket[mustPause]) return result
      if (!stopsItself(incoming)) return pausedCode
      socket[mustPause] = false
      pauseReading(socket)
      return result
    }
  })
}

/** Pauses the parser of a connection after the head of the request that it reports now. */
export const pauseAfterThisHead = (socket: Duplex) => {
  asParsed(socket)[mustPause] = true
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
 * Keeps the rest of a read at which the parser was paused; false for other errors. Nothing more is read until `readOn`. The
 * connection of a client that has used up its share of the budget is closed.
 */
export const holdRest = (
  { code, bytesParsed = 0, rawPacket }: ParseError,
  stream: Duplex,
  budget: BodyBudget,
): boolean => {
  const socket = asParsed(stream)
  if (code !== 'HPE_PAUSED' || !rawPacket || !socket[mustPause]) return false
  socket[mustPause] = false
  const rest = rawPacket.subarray(bytesParsed)
  socket[held] = { rest, release: countRest(rest, socket, budget), resume: socket.resume }
  pauseReading(socket)
  // Node resumes a socket when a request is complete and when a response has drained. What it then reads is after the rest.
  socket.resume = () => socket
  return true
}

/** Parses what is held of a connection, then reads on. To be called outside of the parser. */
export const readOn = (stream: Duplex) => {
  const socket = asParsed(stream)
  const kept = socket[held]
  if (socket.destroyed) return
  // While a response waits for the client. Node reads on when it has drained, except for what is held.
  if (socket._paused) {
    if (kept) socket.once('drain', () => runInLaterTurn(() => readOn(socket)))
    return
  }
  if (!kept) return socket.resume()
  socket[held] = null
  kept.release()
  socket.resume = kept.resume
  socket.parser?.resume()
  socket.resume()
  // Node would start to read in a tick, and could not after a CONNECT in the rest.
  socket.emit('resume')
  socket.emit('data', kept.rest)
}
