import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The connections of a server that another process has accepted. The server does not listen: it neither counts them nor
 * waits for them when it closes.
 */
export const createAcceptedConnections = (server: Server) => {
  const open = new Set<Socket>()
  let isClosed = false
  let onEnd = () => {}

  const remove = (socket: Socket) => {
    open.delete(socket)
    if (open.size === 0) onEnd()
  }

  return {
    add(socket: Socket) {
      // One that was on its way when the server closed.
      if (isClosed) return void socket.resetAndDestroy()
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
    /** Resets all further ones; resolves when those that are open have closed. */
    close: () =>
      new Promise<void>((resolve) => {
        isClosed = true
        onEnd = resolve
        if (open.size === 0) resolve()
      }),
  }
}
