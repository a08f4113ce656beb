import { fork } from 'node:child_process'
import type { Socket } from 'node:net'
import type { ListenerName } from '../../node/group/process-group.ts'
import { createConnectionQueue } from './connection-queue.ts'
import { memberArgument } from './process-count.ts'
import {
  type MessageFromProcess,
  type MessageToProcess,
  parseMessageFromProcess,
} from './process-messages.ts'

export interface Addresses {
  readonly url: string
  readonly adminUrl: string | null
}

interface ProcessExit {
  readonly code: number | null
  readonly signal: string | null
}

/** A process that runs the gateway. */
export interface GatewayProcess {
  readonly pid: number
  /** Milliseconds of a monotonic clock. */
  readonly startedAt: number
  /** Resolves when it serves requests; rejects if it exits before. */
  readonly ready: Promise<Addresses>
  readonly exited: Promise<ProcessExit>
  isReady(): boolean
  send(message: MessageToProcess): void
  /** Passes a connection; calls `onUnsent` if the process exits before the connection was sent. */
  sendConnection(listener: ListenerName, socket: Socket, onUnsent: (socket: Socket) => void): void
  kill(signal: NodeJS.Signals): void
  /** Sends a ping; returns how many earlier ones have had no response since its last message. */
  ping(): number
  /** How many pings have had no response since its last message. */
  countUnansweredPings(): number
}

interface Callbacks {
  readonly onMessage: (process: GatewayProcess, message: MessageFromProcess) => void
  /** Called when it has exited, after its last message. */
  readonly onClosed: (process: GatewayProcess) => void
}

/** Starts a process with the program of this one. */
export const startGatewayProcess = ({ onMessage, onClosed }: Callbacks): GatewayProcess => {
  const child = fork(process.argv[1] ?? '', [memberArgument])
  let isReady = false
  let unanswered = 0
  const connections = createConnectionQueue(({ listener, id, socket }, onSent) =>
    child.send({ kind: 'connection', listener, connection: id }, socket, { keepOpen: true }, (error) => {
      // The channel has failed, so the process ends.
      if (!error) onSent()
    }),
  )
  const exited = new Promise<ProcessExit>((resolve) => {
    const end = (code: number | null, signal: string | null) => {
      isReady = false
      resolve({ code, signal })
    }
    child.once('exit', end)
    child.once('error', () => end(null, null))
  })

  const self: GatewayProcess = {
    pid: child.pid ?? 0,
    startedAt: performance.now(),
    ready: new Promise<Addresses>((resolve, reject) => {
      child.on('message', (received) => {
        unanswered = 0
        const message = parseMessageFromProcess(received)
        if (message === null) return
        if ('url' in message) {
          isReady = true
          resolve(message)
        } else if (message.kind === 'received') connections.confirm(message.connection)
        else onMessage(self, message)
      })
      void exited.then(({ code, signal }) =>
        reject(new Error(`the process exited before it was ready (${signal ?? `exit code ${code}`})`)),
      )
    }),
    exited,
    isReady: () => isReady,
    send(message) {
      // A process that has just exited can no longer receive it.
      if (child.connected) child.send(message, undefined, {}, () => {})
    },
    sendConnection: connections.add,
    kill: (signal) => void child.kill(signal),
    ping() {
      self.send({ kind: 'ping' })
      return unanswered++
    },
    countUnansweredPings: () => unanswered,
  }
  // Not every start is awaited.
  self.ready.catch(() => {})
  // Node does not emit `disconnect` if the channel closes while a connection is sent.
  child.once('close', () => {
    onClosed(self)
    connections.close()
  })
  return self
}
