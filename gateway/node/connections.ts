import { readFileSync } from 'node:fs'
import type { Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { countOf, gaugeOf, type MetricFamily } from '../observability/metric-family.ts'
import { getCurrentResponse } from './pipelining.ts'

/** Sockets count bytes anyway, so requests cost nothing extra. */
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
    countOf('crossfade_received_bytes_total', 'Bytes received from clients, including request headers.', () =>
      sumBytes('bytesRead'),
    ),
    countOf('crossfade_sent_bytes_total', 'Bytes sent to clients, including response headers.', () =>
      sumBytes('bytesWritten'),
    ),
  ]
}

const maxReservedFiles = 512

// The file exists only on Linux. Node raises the soft limit to the hard one.
const readFileLimit = () => {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
  } catch {
    return Number.NaN
  }
}

/**
 * Keeps a quarter of the process's file descriptors (at most 512) free. Once only those are left, closes new client
 * connections immediately. Otherwise clients could starve the connections to the core and the database.
 */
export const reserveFiles = (server: Server, limit: number = readFileLimit()) => {
  if (limit > 0) server.maxConnections = limit - Math.min(maxReservedFiles, Math.floor(limit / 4))
}

const maxIntervalMs = 5000

interface IdleTime {
  /** How long the connection may be idle; 0 for no limit. */
  timeoutMs: number
  sweeps: number
  hasTimer: boolean
}

const { setTimeout: setTimer } = Socket.prototype

const isUnread = (response: ServerResponse) => response.writableEnded && !response.writableFinished

// The response's own `writableNeedDrain` stays set on a connection that a CONNECT has detached from the server.
const waitsForClient = (response: ServerResponse) =>
  response.socket?.writableNeedDrain === true || isUnread(response)

// A response that is still being produced has its own deadlines. If the client has stopped reading it, the connection
// is reset, because a graceful close would look like the response's end.
const onTimeout = (socket: Socket) => {
  const response = getCurrentResponse(socket)
  if (!response || response.writableFinished) socket.destroy()
  else if (waitsForClient(response)) socket.resetAndDestroy()
}

interface ConnectionTimeouts {
  readonly stallTimeoutMs: number
  /** `server.keepAliveTimeout`. Node adds a second to it. */
  readonly keepAliveTimeoutMs: number
}

/**
 * Closes connections that are idle, or whose client stopped reading, one or two sweeps after their timeout. One sweep
 * serves all connections, because Node's own timers cost too much per request: see "no timer of Node" in
 * dev/bench/results/forwarding.md.
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
    // Node calls this with the keep-alive timeout when a response ends, and with 0 when the next request arrives.
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
  // A server that does not listen closes immediately, even if connections it was handed are still open.
  server.once('close', () => {
    isClosed = true
  })
}

/**
 * Makes the server's `closeIdleConnections`, which its `close` calls first, keep the connections of clients that are
 * still reading. Node counts a connection as idle as soon as its response has ended (verified on Node 26.10.0).
 */
export const keepUnreadResponses = (server: Server) => {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  const closeIdleConnections = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    const kept = [...open].flatMap((socket) => {
      const response = getCurrentResponse(socket)
      return response && isUnread(response) ? [{ socket, destroy: socket.destroy }] : []
    })
    for (const { socket } of kept) socket.destroy = () => socket
    closeIdleConnections()
    for (const { socket, destroy } of kept) socket.destroy = destroy
  }
}
