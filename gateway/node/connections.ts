import { readFileSync } from 'node:fs'
import type { Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { countOf, gaugeOf, type MetricFamily } from '../observability/metric-family.ts'
import { getCurrentResponse } from './pipelining.ts'

/**
 * Counts the connections of clients and their bytes. Sockets count their bytes anyway, so nothing is counted for
 * each request.
 */
export const createConnectionFamilies = (server: Server): readonly MetricFamily[] => {
  const open = new Set<Socket>()
  const closed = { bytesRead: 0, bytesWritten: 0 }
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      closed.bytesRead += socket.bytesRead
      closed.bytesWritten += socket.bytesWritten
    })
  })
  const sumBytes = (counter: keyof typeof closed) => {
    let bytes = closed[counter]
    for (const socket of open) bytes += socket[counter]
    return bytes
  }
  return [
    gaugeOf('crossfade_client_connections', 'Open client connections.', () => open.size),
    countOf(
      'crossfade_received_bytes_total',
      'Bytes that were received from clients, with the heads of their requests.',
      () => sumBytes('bytesRead'),
    ),
    countOf(
      'crossfade_sent_bytes_total',
      'Bytes that were sent to clients, with the heads of their responses.',
      () => sumBytes('bytesWritten'),
    ),
  ]
}

const maxReservedFiles = 512

// Only Linux has this file. Node raises the soft limit to the hard one.
const readFileLimit = () => {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
  } catch {
    return Number.NaN
  }
}

/**
 * Closes further connections of clients at once when they occupy all but a quarter of the files that the process may open, 512
 * at most. Clients could otherwise leave none for the connections to the core and the database.
 */
export const reserveFiles = (server: Server, limit: number = readFileLimit()) => {
  if (limit > 0) server.maxConnections = limit - Math.min(maxReservedFiles, Math.floor(limit / 4))
}

const maxIntervalMs = 5000

interface IdleTime {
  /** How long the connection may be idle; 0 for any time. */
  timeoutMs: number
  /** Sweeps since it is idle. */
  sweeps: number
  hasTimer: boolean
}

const { setTimeout: setTimer } = Socket.prototype

const waitsForClient = (response: ServerResponse) =>
  response.writableNeedDrain || (response.writableEnded && !response.writableFinished)

// A response that is still being produced has its own deadlines. One that the client stops reading is reset, because the
// client could take a graceful close for its end.
const onTimeout = (socket: Socket) => {
  const response = getCurrentResponse(socket)
  if (!response || response.writableFinished) socket.destroy()
  else if (waitsForClient(response)) socket.resetAndDestroy()
}

interface ConnectionTimeouts {
  /** How long a client may read nothing of a response that waits for it. */
  readonly stallTimeoutMs: number
  /** `server.keepAliveTimeout`, to which Node adds a second. */
  readonly keepAliveTimeoutMs: number
}

/**
 * Closes connections that are idle, or whose client has stopped reading, after their timeout and at most two sweeps: there
 * are six in the shorter timeout, and one every five seconds at least. Bytes without a complete head do not make a
 * connection busy.
 *
 * Node creates a timer when a response has ended, for the next request, and with `server.timeout` another one when that
 * arrives; each read and write renews it (verified on Node 26.10.0). Here one sweep serves all connections, and only those
 * with output that waits for the client have a timer. See "GET of 1 KiB, 32 connections" in dev/bench/README.md.
 */
export const closeTimedOutConnections = (
  server: Server,
  { stallTimeoutMs, keepAliveTimeoutMs }: ConnectionTimeouts,
) => {
  const intervalMs = Math.min(maxIntervalMs, stallTimeoutMs / 6, keepAliveTimeoutMs / 6)
  let isClosed = false
  const open = new Map<Socket, IdleTime>()
  server.on('connection', (socket) => {
    const idle: IdleTime = { timeoutMs: 0, sweeps: 0, hasTimer: false }
    open.set(socket, idle)
    socket.once('close', () => open.delete(socket))
    // Node calls it with the keep-alive timeout when a response has ended, and with 0 when the next request arrives.
    socket.setTimeout = (timeoutMs) => {
      if (idle.hasTimer) setTimer.call(socket, 0)
      idle.hasTimer = false
      idle.sweeps = 0
      idle.timeoutMs = timeoutMs
      return socket
    }
  })
  server.on('timeout', onTimeout)

  const closeIfIdle = (socket: Socket, idle: IdleTime) => {
    if (idle.timeoutMs > 0 && idle.sweeps * intervalMs >= idle.timeoutMs) socket.destroy()
    idle.sweeps += 1
  }

  const startTimer = (socket: Socket, idle: IdleTime) => {
    if (idle.hasTimer) return
    idle.hasTimer = true
    setTimer.call(socket, stallTimeoutMs)
  }

  const sweep = () => {
    if (isClosed && open.size === 0) clearInterval(interval)
    for (const [socket, idle] of open) {
      const response = getCurrentResponse(socket)
      if (!response || response.writableFinished) closeIfIdle(socket, idle)
      else if (waitsForClient(response)) startTimer(socket, idle)
    }
  }
  const interval = setInterval(sweep, intervalMs).unref()
  // A server that does not listen closes at once, while connections that it was passed are still served.
  server.once('close', () => {
    isClosed = true
  })
}
