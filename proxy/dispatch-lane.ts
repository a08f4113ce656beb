import { type Dispatcher, Pool } from 'undici'
import { connectorToCore } from './core-connection.ts'

/** A request that waits for a connection of its lane. */
export interface LaneRequest extends Dispatcher.DispatchHandler {
  /** False once nobody waits for it any more: it is skipped instead of sent. */
  readonly wanted: boolean
  readonly dispatchOptions: Dispatcher.DispatchOptions
}

interface LaneOptions {
  readonly connections: number
  readonly queue: number
  readonly connectTimeoutMs: number
  readonly maxHeaderBytes: number
}

export interface DispatchLane {
  /** False: the lane is full and its queue is too. */
  start(request: LaneRequest): boolean
  /** Sends a request of this lane once more, in the place it already has. */
  restart(request: LaneRequest): void
  /** A request is over and leaves its place to the next. */
  release(): void
  close(): Promise<void>
}

/**
 * A share of the connections to the core. Requests beyond it wait here rather than inside undici, where one that is
 * given up could only be taken back by destroying the connection it is handed.
 */
export const openLane = (origin: string, options: LaneOptions): DispatchLane => {
  const pool = new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    connect: connectorToCore(options.connectTimeoutMs),
    maxHeaderSize: options.maxHeaderBytes,
    // Every wait has its deadline in the progress watch; undici's own timers are half a second off.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Shorter than the five seconds after which common servers close: a request must not cross a closing connection.
    keepAliveTimeout: 4000,
    keepAliveTimeoutThreshold: 1000,
    allowH2: false,
  })
  let free = options.connections
  let waiting: LaneRequest[] = []
  let head = 0

  const dispatch = (request: LaneRequest) => {
    pool.dispatch(request.dispatchOptions, request)
  }

  const nextWanted = () => {
    while (head < waiting.length) {
      const request = waiting[head++]
      if (head === waiting.length || head > options.queue) {
        waiting = waiting.slice(head)
        head = 0
      }
      if (request?.wanted) return request
    }
    return null
  }

  return {
    start(request) {
      if (free > 0) {
        free -= 1
        dispatch(request)
        return true
      }
      if (waiting.length - head >= options.queue) return false
      waiting.push(request)
      return true
    },
    restart: dispatch,
    release() {
      const next = nextWanted()
      if (next) dispatch(next)
      else free += 1
    },
    close: () => pool.close(),
  }
}
