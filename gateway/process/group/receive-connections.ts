import { Socket } from 'node:net'
import type { ListenerName } from '../../node/group/process-group.ts'
import { ListenError } from '../../node/listen-error.ts'
import type { MessageFromProcess, MessageToProcess } from './process-messages.ts'

type ListenMessage = Extract<MessageToProcess, { kind: 'listening' | 'listen-failed' | 'connection' }>

interface Listener {
  readonly accept: (socket: Socket) => void
  readonly onListening: (port: number) => void
  readonly onFailed: (error: ListenError) => void
}

/** How long closed connections are counted before the supervisor is told. */
const closedIntervalMs = 20

/** Receives connections from the supervisor, and tells it when they are closed. */
export const createConnectionReceiver = (send: (message: MessageFromProcess) => void) => {
  const listeners = new Map<ListenerName, Listener>()
  const closed = new Map<ListenerName, number>()

  const sendClosed = () => {
    for (const [listener, connections] of closed) send({ kind: 'closed', listener, connections })
    closed.clear()
  }

  const countClosed = (listener: ListenerName) => {
    if (closed.size === 0) setTimeout(sendClosed, closedIntervalMs)
    closed.set(listener, (closed.get(listener) ?? 0) + 1)
  }

  const acceptFor = (name: ListenerName, socket: unknown) => {
    // A connection that was reset on the way arrives as a message without a socket.
    if (!(socket instanceof Socket)) return countClosed(name)
    socket.once('close', () => countClosed(name))
    const listener = listeners.get(name)
    if (listener) listener.accept(socket)
    else socket.destroy()
  }

  return {
    listen: (listener: ListenerName, accept: (socket: Socket) => void) =>
      new Promise<number>((resolve, reject) => {
        listeners.set(listener, { accept, onListening: resolve, onFailed: reject })
        send({ kind: 'listen', listener })
      }),

    receive(message: ListenMessage, socket: unknown) {
      const listener = listeners.get(message.listener)
      if (message.kind === 'connection') {
        send({ kind: 'received', connection: message.connection })
        acceptFor(message.listener, socket)
      } else if (message.kind === 'listening') listener?.onListening(message.port)
      else listener?.onFailed(new ListenError(message.error))
    },
  }
}
