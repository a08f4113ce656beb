/**
 * Connections to the core. Interim responses are removed before undici reads them, and the request in flight is told
 * what undici does not report. Relies on this behaviour of Node 26.10.0 and undici 8.12.4:
 *
 * - undici destroys a connection on an unrequested `100 Continue`, although RFC 9110, section 15.2 requires clients to
 *   accept interim responses.
 * - undici reports neither a response's first byte nor its HTTP version. If the connection's end marks the response's
 *   end, a reset counts as its end too.
 * - undici publishes `undici:client:sendHeaders` with the socket after `onRequestStart` and before it writes the
 *   request, all in one synchronous call.
 * - undici calls `socket.read()` until it returns null.
 * - Node allocates memory for each read of a socket. With the option `onread` it reads into a given buffer and emits no
 *   data; the callback has to push it.
 * - Node destroys a socket as soon as a write fails, and discards what was received but not read yet.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { LookupFunction, Socket } from 'node:net'
import { buildConnector } from 'undici'

export interface ConnectionUser {
  onFirstByte(): void
  onHttp10(): void
  /** Called when everything that has arrived is parsed. */
  onReadBufferEmpty(): void
  onConnectionError(): void
}

interface CoreConnection {
  user: ConnectionUser | null
  awaitsHead: boolean
  /** The start of a response, too short to tell an interim head from a final one. */
  undecided: Buffer | null
}

const coreConnection = Symbol('connection to the core')

interface CoreSocket extends Socket {
  [coreConnection]?: CoreConnection
}

let nextUser: ConnectionUser | null = null

/** Call this in `onRequestStart`: undici then writes the request head to its connection in the same call. */
export const assignNextConnection = (user: ConnectionUser) => {
  nextUser = user
}

// A connection carries one request at a time, so whatever arrives from here on belongs to this request's response.
subscribe('undici:client:sendHeaders', (message) => {
  const connection = readSocket(message)[coreConnection]
  if (!connection) return
  connection.user = nextUser
  connection.awaitsHead = true
  connection.undecided = null
})

// Node leaves the channel's messages untyped; undici documents their shape (DiagnosticsChannel).
const readSocket = (message: unknown) => (message as { socket: CoreSocket }).socket

const interimStatus = Buffer.from('HTTP/1.1 1')
const version = Buffer.from('HTTP/1.')
const endOfHead = '\r\n\r\n'
const maxHeadBytes = 16_384

interface Remainder {
  /** The final response's bytes, from its head on; null until there are any. */
  readonly final: Buffer | null
  /** Bytes that may start another interim head. */
  readonly undecided: Buffer | null
  /** False for bytes that are not HTTP/1, and for an interim head that never ends. */
  readonly isValid: boolean
}

const isPrefix = (bytes: Buffer, wanted: Buffer) => {
  const compared = Math.min(bytes.length, wanted.length)
  // faster than `compare` for so few bytes
  for (let index = 0; index < compared; index++) if (bytes[index] !== wanted[index]) return false
  return true
}

const interimStatusLine = /^HTTP\/1\.1 1[0-9]{2}[ \r]/

// A status such as 1000 is left to the parser, which rejects it.
const isInterim = (head: Buffer) => interimStatusLine.test(head.toString('latin1', 0, 13))

// 101 is final for HTTP, because it changes the protocol. The parser rejects it unless an upgrade was requested.
const isSwitchingProtocols = (bytes: Buffer) => bytes[10] === 0x30 && bytes[11] === 0x31

/** `bytes` begin with a status line. */
export const skipInterimHeads = (bytes: Buffer): Remainder => {
  let rest = bytes
  while (rest.length > 0 && isPrefix(rest, interimStatus)) {
    if (isSwitchingProtocols(rest)) return { final: rest, undecided: null, isValid: true }
    const end = rest.indexOf(endOfHead)
    if (end === -1) return { final: null, undecided: rest, isValid: rest.length < maxHeadBytes }
    if (!isInterim(rest)) return { final: rest, undecided: null, isValid: true }
    rest = rest.subarray(end + endOfHead.length)
  }
  if (rest.length === 0) return { final: null, undecided: null, isValid: true }
  return { final: rest, undecided: null, isValid: isPrefix(rest, version) }
}

const isHttp10 = (finalHead: Buffer) => finalHead[7] === 0x30

const readHeadBytes = (connection: CoreConnection, chunk: Buffer, socket: Socket): Buffer | null => {
  connection.user?.onFirstByte()
  const bytes = connection.undecided ? Buffer.concat([connection.undecided, chunk]) : chunk
  const { final, undecided, isValid } = skipInterimHeads(bytes)
  connection.undecided = undecided
  connection.awaitsHead = final === null
  if (final && isHttp10(final)) connection.user?.onHttp10()
  if (isValid) return final
  socket.destroy(new Error("the core's response is not HTTP/1"))
  return null
}

// Interim heads are removed only where they can occur: between a request and its final status line. Bodies are never
// searched.
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

// Measured: see "GET of 100 MiB, 4 readers" in dev/bench/README.md.
const bufferBytes = 131_072
// A shorter chunk gets its own copy, because it would waste most of a pooled buffer.
const minPooledBytes = 16_384
const maxPooledBuffers = 64

/** How many bytes the last read put in each buffer. */
const usedBytes = new WeakMap<ArrayBufferLike, number>()
const pool: ArrayBuffer[] = []

const copyBytes = (bytes: Uint8Array) => {
  if (bytes.length < minPooledBytes) return Buffer.from(bytes)
  const buffer = pool.pop() ?? new ArrayBuffer(bufferBytes)
  usedBytes.set(buffer, bytes.length)
  const chunk = Buffer.from(buffer, 0, bytes.length)
  chunk.set(bytes)
  return chunk
}

/**
 * Call this once a chunk is no longer used. Its buffer is reused if the chunk covers everything read into it. Without
 * reuse, a long response would leave a hundred megabytes of garbage.
 */
export const releaseChunk = ({ buffer, length }: Buffer) => {
  if (buffer instanceof ArrayBuffer && usedBytes.get(buffer) === length && pool.length < maxPooledBuffers) {
    usedBytes.delete(buffer)
    pool.push(buffer)
  }
}

/** The `onread` option of a socket. All sockets share one buffer, because each read is copied immediately. */
export const sharedReadBuffer = {
  buffer: Buffer.allocUnsafeSlow(bufferBytes),
  callback(this: Socket, bytesRead: number, buffer: Uint8Array) {
    return this.push(copyBytes(buffer.subarray(0, bytesRead)))
  },
}

/** When the core stops reading the request, how long to wait for a response that may already be on its way. */
const delayMs = 250

type WriteCallback = (error?: Error | null) => void

const delayError =
  (callback: WriteCallback): WriteCallback =>
  (error) => {
    if (error) setTimeout(callback, delayMs, error).unref()
    else callback()
  }

/**
 * Keeps a socket readable for a while after a write fails. A core that rejects a body early responds and closes, so the
 * next write fails before the core's response has been read.
 */
export const delayWriteErrors = (socket: Socket) => {
  const { _write: write, _writev: writeAll } = socket
  socket._write = function writeWithDelayedError(chunk, encoding, callback) {
    write.call(this, chunk, encoding, delayError(callback))
  }
  if (writeAll)
    socket._writev = function writeAllWithDelayedError(chunks, callback) {
      writeAll.call(this, chunks, delayError(callback))
    }
}

export interface ConnectionSettings {
  /** The certificates to trust instead of Node's, as PEM. */
  readonly ca?: string
  /** The gateway's own certificate and key, as PEM. */
  readonly cert?: string
  readonly key?: string
  /** Replaces host resolution. TLS still verifies the host. */
  readonly lookup?: LookupFunction
}

export const createCoreConnector = (
  connectTimeoutMs: number,
  settings: ConnectionSettings = {},
): buildConnector.connector => {
  const socketOptions = {
    ...settings,
    timeout: connectTimeoutMs,
    allowH2: false,
    onread: sharedReadBuffer,
    // Larger than one read. Otherwise the socket would stop and start for every read.
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
