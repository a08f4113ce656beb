import { type Dispatcher, Pool } from 'undici'
import { createCoreConnector } from '../node-streams/core-connection.ts'
import { LinkedQueue, type QueueEntry } from './linked-queue.ts'

/** A request that waits for a connection of its lane. */
export interface LaneRequest extends Dispatcher.DispatchHandler {
  /** Its entry in the queue of its lane, which alone sets it; null while it does not wait. */
  queueEntry: QueueEntry<LaneRequest> | null
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
  /** Removes a request from the queue, at once and in constant time; one that does not wait is left alone. */
  cancel(request: LaneRequest): void
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
    connect: createCoreConnector(options.connectTimeoutMs),
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
  const queue = new LinkedQueue<LaneRequest>()

  const dispatch = (request: LaneRequest) => {
    pool.dispatch(request.dispatchOptions, request)
  }

  return {
    start(request) {
      if (free > 0) {
        free -= 1
        dispatch(request)
        return true
      }
      if (queue.length >= options.queue) return false
      request.queueEntry = queue.push(request)
      return true
    },
    cancel(request) {
      if (!request.queueEntry) return
      queue.remove(request.queueEntry)
      request.queueEntry = null
    },
    restart: dispatch,
    release() {
      const next = queue.shift()
      if (next) {
        next.queueEntry = null
        dispatch(next)
      } else free += 1
    },
    close: () => pool.close(),
  }
}
