import { Socket } from 'node:net'
import type { SocketFactory } from './connection.ts'

/**
 * Sockets to PostgreSQL for Node that do not hang: one on which nothing moves in either direction for `silenceMs` is
 * closed, and one that is closed before the server said a word is an error.
 */
export const watchedSockets = (silenceMs: number): SocketFactory => {
  let turn = 0
  return ({ path, host, port }) => {
    const socket = new Socket()
    const at = turn++ % host.length
    // The driver names the address in its errors and the host in the TLS handshake by these.
    Object.assign(socket, { host: host[at], port: port[at] })
    socket.once('end', () => {
      // A balancer without a server behind it accepts and closes; the driver would try again without end.
      if (socket.bytesRead === 0) socket.destroy(hangUp())
    })
    closeWhenSilent(socket, silenceMs)
    return socket.connect(path ? { path } : { host: host[at], port: port[at] ?? 5432 })
  }
}

const hangUp = () => Object.assign(new Error('the database hung up'), { code: 'ECONNRESET' })

// A frozen server, or a firewall that forgot the connection, answers nothing and closes nothing. Connections without
// work are closed sooner than this, so silence always means a statement or a transaction that will not end.
const closeWhenSilent = (socket: Socket, silenceMs: number) => {
  let moved = 0
  let since = performance.now()
  const watch = setInterval(() => {
    const bytes = socket.bytesRead + socket.bytesWritten
    if (bytes !== moved) {
      moved = bytes
      since = performance.now()
    }
    if (socket.destroyed || performance.now() - since > silenceMs) {
      clearInterval(watch)
      socket.destroy()
    }
  }, silenceMs / 4)
  watch.unref()
}
