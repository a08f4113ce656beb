// Optimized: see "GET of 1 KiB, 512 connections" in bench/README.md.
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getCurrentResponse } from './pipelining.ts'

const maxIntervalMs = 5000

const waitsForClient = (response: ServerResponse) =>
  response.writableNeedDrain || (response.writableEnded && !response.writableFinished)

// A response that is still being produced has its own deadlines. One that the client stops reading is reset, because the
// client could take a graceful close for its end.
const onTimeout = (socket: Socket) => {
  const response = getCurrentResponse(socket)
  if (!response || response.writableFinished) socket.destroy()
  else if (waitsForClient(response)) socket.resetAndDestroy()
}

/**
 * Closes connections whose client has not read anything of its response for `timeoutMs`, at most a sixth of it late. Only
 * connections with output that waits have a timer: `server.timeout` would create two for each request and renew them with
 * each read and write.
 */
export const closeStalledConnections = (server: Server, timeoutMs: number) => {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.on('timeout', onTimeout)

  const startTimers = () => {
    for (const socket of open) {
      const response = getCurrentResponse(socket)
      if (response && waitsForClient(response) && socket.timeout !== timeoutMs) socket.setTimeout(timeoutMs)
    }
  }
  const sweep = setInterval(startTimers, Math.min(maxIntervalMs, timeoutMs / 6)).unref()
  server.once('close', () => clearInterval(sweep))
}
