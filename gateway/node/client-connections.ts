import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { countOf, gaugeOf, type MetricFamily } from '../observability/metric-family.ts'

/**
 * Counts the connections of clients and their bytes. Sockets count their bytes anyway, so that nothing is counted for
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
    gaugeOf('crossfade_client_connections', 'Open connections of clients.', () => open.size),
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
