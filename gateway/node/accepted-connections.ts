import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The connections of a server that another process has accepted. The server does not listen: it neither counts them nor
 * waits for them when it closes.
 */
export const createAcceptedConnections = (server: Server) => {
  const open = new Set<Socket>()
  let onEnd = () => {}

  const remove = (socket: Socket) => {
    open.delete(socket)
    if (open.size === 0) onEnd()
  }

  return {
    add(socket: Socket) {
      if (server.maxConnections > 0 && open.size >= server.maxConnections) return void socket.destroy()
      // Node starts the timeouts of heads and of idle connections with this event.
      if (open.size === 0) server.emit('listening')
      open.add(socket)
      socket.once('close', () => remove(socket))
      // As a server sets up those that it accepts itself.
      socket.allowHalfOpen = true
      socket.setNoDelay(true)
      server.emit('connection', socket)
    },
    /** Resolves when all are closed. */
    waitForEnd: () =>
      new Promise<void>((resolve) => {
        onEnd = resolve
        if (open.size === 0) resolve()
      }),
  }
}
