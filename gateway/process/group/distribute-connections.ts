import { createServer, type Server, type Socket } from 'node:net'
import type { ListenerName } from '../../node/group/process-group.ts'
import { type Address, ListenError, listenOrThrow } from '../../node/listen-error.ts'
import type { GatewayProcess } from './gateway-process.ts'

// A second ping without a response is not caused by a message that is on its way.
const maxUnansweredPings = 2

const bind = (server: Server) => ({
  listen: (port: number, host: string) =>
    new Promise<number>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => {
        server.off('error', reject)
        const address = server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : port)
      })
    }),
})

/**
 * Accepts the connections of one listener and passes each to a process: the one that has the fewest connections, or for
 * the admin listener, whose pages describe one process, that which serves longest and responds. Nothing is read from a
 * connection before that.
 */
export const createDistributor = (name: ListenerName, address: Address) => {
  const open = new Map<GatewayProcess, number>()
  const server = createServer({ pauseOnConnect: true })
  let listening: Promise<number> | undefined

  const selectOldest = () => {
    const processes = [...open.keys()]
    const isResponding = (process: GatewayProcess) => process.countUnansweredPings() < maxUnansweredPings
    return processes.find(isResponding) ?? processes[0]
  }

  const selectProcess = () => {
    if (name === 'ADMIN_PORT') return selectOldest()
    let found: GatewayProcess | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [process, connections] of open) {
      if (connections >= fewest) continue
      found = process
      fewest = connections
    }
    return found
  }

  const pass = (socket: Socket) => {
    const process = selectProcess()
    // No process serves: the client must not wait for one that may not start.
    if (process === undefined) return void socket.resetAndDestroy()
    open.set(process, (open.get(process) ?? 0) + 1)
    process.sendConnection(name, socket, pass)
  }

  server.on('connection', (socket) => {
    // A client may reset its connection before it is passed.
    socket.on('error', () => {})
    pass(socket)
  })

  return {
    /** Includes a process; resolves to the port. Throws `ListenError`. */
    async include(process: GatewayProcess) {
      listening ??= listenOrThrow(bind(server), address)
      try {
        const port = await listening
        open.set(process, 0)
        void process.exited.then(() => open.delete(process))
        return port
      } catch (error) {
        listening = undefined
        throw error
      }
    },
    /** Passes no further connection to a process. */
    exclude: (process: GatewayProcess) => void open.delete(process),
    /** Passes no further connection to a process that drains, if another one serves. */
    excludeUnlessLast(process: GatewayProcess) {
      if (open.size > 1) open.delete(process)
    },
    recordClosed(process: GatewayProcess, connections: number) {
      const count = open.get(process)
      if (count !== undefined) open.set(process, Math.max(0, count - connections))
    },
    /** Accepts no further connection. */
    close: () => void server.close(),
  }
}

export const describeListenError = (error: unknown) =>
  error instanceof ListenError ? error.message : 'cannot listen'
