// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
/**
 * Node creates a timer when a response has ended, for the next request, and with `server.timeout` another one when that
 * arrives; each read and write renews it (verified on Node 26.10.0). Here one sweep serves all connections, and only
 * those with output that waits for the client have a timer.
 */
import type { Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { getCurrentResponse } from './pipelining.ts'

const maxIntervalMs = 5000

const idleTimeoutMs = Symbol('how long the connection may be idle')
const idleSweeps = Symbol('sweeps since the connection is idle')
const hasTimer = Symbol('whether the connection has a timer')

interface TimedSocket extends Socket {
  /** 0 for any time. */
  [idleTimeoutMs]?: number
  [idleSweeps]?: number
  [hasTimer]?: boolean
}

const { setTimeout: setTimer } = Socket.prototype

// Node calls it with the keep-alive timeout when a response has ended, and with 0 when the next request arrives.
function recordTimeout(this: TimedSocket, timeoutMs: number) {
  if (this[hasTimer]) setTimer.call(this, 0)
  this[hasTimer] = false
  this[idleSweeps] = 0
  this[idleTimeoutMs] = timeoutMs
  return this
}

const waitsForClient = (response: ServerResponse) =>
  response.writableNeedDrain || (response.writableEnded && !response.writableFinished)

// A response that is still being produced has its own deadlines. One that the client stops reading is reset, because the
// client could take a graceful close for its end.
const onTimeout = (socket: Socket) => {
  const response = getCurrentResponse(socket)
  if (!response || response.writableFinished) socket.destroy()
  else if (waitsForClient(response)) socket.resetAndDestroy()
}

const closeIfIdle = (socket: TimedSocket, intervalMs: number) => {
  const { [idleTimeoutMs]: timeoutMs = 0, [idleSweeps]: sweeps = 0 } = socket
  socket[idleSweeps] = sweeps + 1
  if (timeoutMs > 0 && sweeps * intervalMs >= timeoutMs) socket.destroy()
}

const startTimer = (socket: TimedSocket, timeoutMs: number) => {
  if (socket[hasTimer]) return
  socket[hasTimer] = true
  setTimer.call(socket, timeoutMs)
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
 */
export const closeTimedOutConnections = (
  server: Server,
  { stallTimeoutMs, keepAliveTimeoutMs }: ConnectionTimeouts,
) => {
  const intervalMs = Math.min(maxIntervalMs, stallTimeoutMs / 6, keepAliveTimeoutMs / 6)
  let isClosed = false
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    socket.setTimeout = recordTimeout
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.on('timeout', onTimeout)

  const sweep = () => {
    if (isClosed && open.size === 0) clearInterval(interval)
    for (const socket of open) {
      const response = getCurrentResponse(socket)
      if (!response || response.writableFinished) closeIfIdle(socket, intervalMs)
      else if (waitsForClient(response)) startTimer(socket, stallTimeoutMs)
    }
  }
  const interval = setInterval(sweep, intervalMs).unref()
  // A server that does not listen closes at once, while connections that it was passed are still served.
  server.once('close', () => {
    isClosed = true
  })
}
