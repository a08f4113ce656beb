import { type Dispatcher, Pool } from 'undici'
import { createCoreConnector } from '../node-streams/core-connection.ts'
import { createFreshDispatch } from './fresh-dispatch.ts'
import { LinkedQueue, type QueueEntry } from './linked-queue.ts'

/** A request that waits for a connection of its lane. */
export interface LaneRequest extends Dispatcher.DispatchHandler {
  /** Its entry in the queue of the lane, which alone sets it; null while it is not queued. */
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
  /** Dispatches or queues a request; false if the lane and its queue are full. */
  start(request: LaneRequest): boolean
  /** Removes a request from the queue in constant time; ignores a request that is not queued. */
  cancel(request: LaneRequest): void
  /** Sends a request of this lane once more, on a new connection; it keeps its slot. */
  restart(request: LaneRequest): void
  /** Frees the slot of a request that has ended, for the next one in the queue. */
  release(): void
  close(): Promise<void>
}

/**
 * A share of the connections to the core. Further requests are queued here and not inside undici, where a request can
 * only be cancelled by destroying the connection that it is assigned.
 */
export const createLane = (origin: string, options: LaneOptions): DispatchLane => {
  const connection = {
    pipelining: 1,
    connect: createCoreConnector(options.connectTimeoutMs),
    maxHeaderSize: options.maxHeaderBytes,
    // The deadline monitor limits every wait; undici's own timers are half a second off.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Shorter than the five seconds after which common servers close an idle connection, so that no request is sent on
    // a connection that is being closed.
    keepAliveTimeout: 4000,
    keepAliveTimeoutThreshold: 1000,
    allowH2: false,
  }
  const pool = new Pool(origin, { ...connection, connections: options.connections })
  const fresh = createFreshDispatch(origin, connection)
  let freeSlots = options.connections
  const queue = new LinkedQueue<LaneRequest>()

  const dispatch = (request: LaneRequest) => {
    pool.dispatch(request.dispatchOptions, request)
  }

  return {
    start(request) {
      if (freeSlots > 0) {
        freeSlots -= 1
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
    restart: (request) => fresh.dispatch(request.dispatchOptions, request),
    release() {
      const next = queue.shift()
      if (next) {
        next.queueEntry = null
        dispatch(next)
      } else freeSlots += 1
    },
    async close() {
      await Promise.all([pool.close(), fresh.close()])
    },
  }
}
