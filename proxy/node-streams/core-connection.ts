import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import { delayWriteErrors } from './delay-write-errors.ts'
import { skipInterimHeads } from './interim-heads.ts'
import { sharedReadBuffer } from './shared-read-buffer.ts'

/** What an exchange is told about the connection it uses. */
export interface ConnectionUser {
  /** The first byte after the request was written has come back. */
  onFirstByte(): void
  /** The final head is of HTTP/1.0. */
  onHttp10(): void
  /** All that has come so far is parsed. */
  onReadBufferEmpty(): void
  onConnectionError(): void
}

interface CoreConnection {
  user: ConnectionUser | null
  awaitsHead: boolean
  /** The start of an answer that is too short yet to tell an interim head from a final one. */
  held: Buffer | null
}

const ofCore = Symbol('connection to the core')

interface CoreSocket extends Socket {
  [ofCore]?: CoreConnection
}

let nextUser: ConnectionUser | null = null

/** To be called as undici starts a request: it writes the request head to its connection in the same turn. */
export const assignNextConnection = (user: ConnectionUser) => {
  nextUser = user
}

// undici publishes this right before the first byte of a request: with one request at a time on a connection,
// whatever arrives from here on belongs to the answer of this one.
subscribe('undici:client:sendHeaders', (message) => {
  const connection = socketOf(message)[ofCore]
  if (!connection) return
  connection.user = nextUser
  connection.awaitsHead = true
  connection.held = null
})

// The channel's messages are untyped in Node; the shape is documented by undici (DiagnosticsChannel).
const socketOf = (message: unknown) => (message as { socket: CoreSocket }).socket

// Nearly every answer: a whole status line of HTTP/1 whose status does not begin with 1.
const startsFinalHead = (bytes: Buffer) =>
  bytes.length > 9 && bytes[0] === 0x48 && bytes[5] === 0x31 && bytes[6] === 0x2e && bytes[9] !== 0x31

const isHttp10 = (finalHead: Buffer) => finalHead[7] === 0x30

const firstBytes = (connection: CoreConnection, chunk: Buffer, socket: Socket): Buffer | null => {
  connection.user?.onFirstByte()
  if (connection.held === null && startsFinalHead(chunk)) {
    connection.awaitsHead = false
    if (isHttp10(chunk)) connection.user?.onHttp10()
    return chunk
  }
  const bytes = connection.held ? Buffer.concat([connection.held, chunk]) : chunk
  const { final, undecided, sound } = skipInterimHeads(bytes)
  connection.held = undecided
  connection.awaitsHead = final === null
  if (final && isHttp10(final)) connection.user?.onHttp10()
  if (sound) return final
  socket.destroy(new Error('the core does not answer in HTTP/1'))
  return null
}

/**
 * undici 8 takes a `100 Continue` that it did not ask for as a broken answer, although RFC 9110 section 15.2 wants
 * every client to put up with interim answers. So interim heads are cut out of what undici reads, and only where
 * one can stand: between a request and its final status line. Bodies are never looked at.
 */
const withoutInterimHeads = (socket: CoreSocket) => {
  const connection: CoreConnection = { user: null, awaitsHead: false, held: null }
  socket[ofCore] = connection
  const read = socket.read
  socket.read = function readAnswer(this: Socket, size?: number) {
    let chunk: Buffer | null = read.call(this, size)
    while (chunk !== null && connection.awaitsHead) {
      const final = firstBytes(connection, chunk, this)
      if (final !== null) return final
      chunk = read.call(this)
    }
    if (chunk === null) connection.user?.onReadBufferEmpty()
    return chunk
  }
  socket.on('error', () => connection.user?.onConnectionError())
}

/** Connects to the core by TCP or TLS and tells exchanges what undici does not. */
export const createCoreConnector = (connectTimeoutMs: number): buildConnector.connector => {
  const socketOptions = {
    timeout: connectTimeoutMs,
    allowH2: false,
    onread: sharedReadBuffer,
    // More than one read brings, or the socket would be stopped and started for each.
    highWaterMark: 262_144,
  }
  const connect = buildConnector(socketOptions)
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result
      if (socket) {
        withoutInterimHeads(socket)
        delayWriteErrors(socket)
      }
      callback(...result)
    })
}
