/**
 * Connections to the core, on which undici gets only final responses and the request in flight gets what undici does
 * not report. Verified on Node 26.10.0 and undici 8.12.4:
 *
 * - undici destroys a connection on a `100 Continue` that it did not ask for, although RFC 9110, section 15.2 requires
 *   a client to accept interim responses.
 * - undici reports neither the first byte of a response nor its HTTP version, and a reset connection completes a
 *   response that ends with its connection.
 * - undici publishes `undici:client:sendHeaders` with the socket, after `onRequestStart` and before it writes the
 *   request, in the same synchronous call.
 * - undici reads a connection with `socket.read()` until that returns null.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import { delayWriteErrors } from './delay-write-errors.ts'
import { skipInterimHeads } from './interim-heads.ts'
import { sharedReadBuffer } from './shared-read-buffer.ts'

/** A request that is notified of what happens on its connection. */
export interface ConnectionUser {
  /** The first byte after the request was written has arrived. */
  onFirstByte(): void
  /** The final head is of HTTP/1.0. */
  onHttp10(): void
  /** Everything that has arrived so far is parsed. */
  onReadBufferEmpty(): void
  onConnectionError(): void
}

interface CoreConnection {
  user: ConnectionUser | null
  awaitsHead: boolean
  /** The start of a response that is too short to tell an interim head from a final one. */
  undecided: Buffer | null
}

const coreConnection = Symbol('connection to the core')

interface CoreSocket extends Socket {
  [coreConnection]?: CoreConnection
}

let nextUser: ConnectionUser | null = null

/** To be called in `onRequestStart`: undici then writes the request head to its connection in the same call. */
export const assignNextConnection = (user: ConnectionUser) => {
  nextUser = user
}

// A connection carries one request at a time, so everything that arrives from here on belongs to the response to this one.
subscribe('undici:client:sendHeaders', (message) => {
  const connection = readSocket(message)[coreConnection]
  if (!connection) return
  connection.user = nextUser
  connection.awaitsHead = true
  connection.undecided = null
})

// The channel's messages are untyped in Node; undici documents the shape (DiagnosticsChannel).
const readSocket = (message: unknown) => (message as { socket: CoreSocket }).socket

// Nearly every response: a complete status line of HTTP/1 whose status does not begin with 1.
const startsFinalHead = (bytes: Buffer) =>
  bytes.length > 9 && bytes[0] === 0x48 && bytes[5] === 0x31 && bytes[6] === 0x2e && bytes[9] !== 0x31

const isHttp10 = (finalHead: Buffer) => finalHead[7] === 0x30

const readHeadBytes = (connection: CoreConnection, chunk: Buffer, socket: Socket): Buffer | null => {
  connection.user?.onFirstByte()
  if (connection.undecided === null && startsFinalHead(chunk)) {
    connection.awaitsHead = false
    if (isHttp10(chunk)) connection.user?.onHttp10()
    return chunk
  }
  const bytes = connection.undecided ? Buffer.concat([connection.undecided, chunk]) : chunk
  const { final, undecided, isValid } = skipInterimHeads(bytes)
  connection.undecided = undecided
  connection.awaitsHead = final === null
  if (final && isHttp10(final)) connection.user?.onHttp10()
  if (isValid) return final
  socket.destroy(new Error('the response of the core is not HTTP/1'))
  return null
}

// Interim heads are removed from what undici reads only where they can occur: between a request and its final status
// line. Bodies are never searched.
const interceptReads = (socket: CoreSocket) => {
  const connection: CoreConnection = { user: null, awaitsHead: false, undecided: null }
  socket[coreConnection] = connection
  const read = socket.read
  socket.read = function readWithoutInterimHeads(this: Socket, size?: number) {
    let chunk: Buffer | null = read.call(this, size)
    while (chunk !== null && connection.awaitsHead) {
      const final = readHeadBytes(connection, chunk, this)
      if (final !== null) return final
      chunk = read.call(this)
    }
    if (chunk === null) connection.user?.onReadBufferEmpty()
    return chunk
  }
  socket.on('error', () => connection.user?.onConnectionError())
}

/** Connects to the core by TCP or TLS. */
export const createCoreConnector = (connectTimeoutMs: number): buildConnector.connector => {
  const socketOptions = {
    timeout: connectTimeoutMs,
    allowH2: false,
    onread: sharedReadBuffer,
    // More than one read returns, or the socket would be stopped and started for each.
    highWaterMark: 262_144,
  }
  const connect = buildConnector(socketOptions)
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result
      if (socket) {
        interceptReads(socket)
        delayWriteErrors(socket)
      }
      callback(...result)
    })
}
