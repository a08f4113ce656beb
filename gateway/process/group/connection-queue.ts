import type { Socket } from 'node:net'
import type { ListenerName } from '../../node/group/process-group.ts'

interface QueuedConnection {
  readonly listener: ListenerName
  readonly socket: Socket
  readonly onUnsent: (socket: Socket) => void
  isSent: boolean
}

/** Sends a connection over the channel of a process without closing it here, and calls `onSent` once it is written. */
type SendConnection = (
  connection: { readonly listener: ListenerName; readonly id: number; readonly socket: Socket },
  onSent: () => void,
) => void

/** Node sends one connection at a time, and copies all others that wait in its channel each time. */
const maxUnconfirmed = 8

/**
 * Passes connections to one process in order. A connection stays open in this process until the other one has confirmed it:
 * a channel does not say which of its connections were lost when it closed.
 */
export const createConnectionQueue = (send: SendConnection) => {
  const waiting: QueuedConnection[] = []
  const unconfirmed = new Map<number, QueuedConnection>()
  let isClosed = false
  let lastId = 0

  const sendNext = () => {
    while (!isClosed && unconfirmed.size < maxUnconfirmed) {
      const next = waiting.shift()
      if (next === undefined) return
      const id = ++lastId
      unconfirmed.set(id, next)
      send({ listener: next.listener, id, socket: next.socket }, () => {
        next.isSent = true
      })
    }
  }

  return {
    /** Calls `onUnsent` if the process exits before the connection was sent. */
    add(listener: ListenerName, socket: Socket, onUnsent: (socket: Socket) => void) {
      if (isClosed) return onUnsent(socket)
      waiting.push({ listener, socket, onUnsent, isSent: false })
      sendNext()
    },
    /** The process has received a connection. */
    confirm(id: number) {
      // This closes only the descriptor of this process.
      unconfirmed.get(id)?.socket.destroy()
      unconfirmed.delete(id)
      sendNext()
    },
    /** To be called when the process has exited and its last message was read. */
    close() {
      isClosed = true
      const queued = [...unconfirmed.values(), ...waiting.splice(0)]
      unconfirmed.clear()
      for (const { isSent, socket, onUnsent } of queued) {
        // The process may have read from a connection that was sent, so another one cannot serve it.
        if (isSent) socket.resetAndDestroy()
        else onUnsent(socket)
      }
    },
  }
}
