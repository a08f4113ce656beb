import type { FairShares } from '../../fair-shares.ts'
import { createCoreClientOptions } from '../core-client-options.ts'
import { type ClientUser, CoreClients } from '../core-clients.ts'
import { DispatchPace, type PacedRequest } from './dispatch-pace.ts'
import { LaneQueue } from './lane-queue.ts'
import { LaneSlots, type SlotUser } from './lane-slots.ts'
import type { LaneUsage } from './lane-usage.ts'
import type { QueueEntry } from './linked-queue.ts'

/** A request that waits for a connection of its lane. */
export interface LaneRequest extends ClientUser, SlotUser, PacedRequest {
  /** Its entry in the queue of the lane, which alone sets it; null while it is not queued. */
  queueEntry: QueueEntry<LaneRequest> | null
  /** It has left the queue and is dispatched. */
  onDequeued(): void
}

interface LaneOptions {
  /** How many requests are in progress at once, besides long streams. */
  readonly connections: number
  readonly queue: number
  /** How many requests may be dispatched and not ended within a few iterations of the event loop; by default 64. */
  readonly recentRequests?: number
  /** Connections for long streams; all lanes of a core share them. */
  readonly extraConnections: FairShares
  readonly connectTimeoutMs: number
  /** One client has nearly all of what is used, and needs more than its share. */
  readonly onDominantClient: () => void
}

export interface DispatchLane {
  /** Dispatches or queues a request. */
  start(request: LaneRequest): 'dispatched' | 'queued' | 'rejected'
  /** Why a request was rejected or is still queued. */
  busyCode(request: LaneRequest): 'core_unavailable' | 'gateway_busy'
  /** Removes a request from the queue in constant time; ignores a request that is not queued. */
  cancel(request: LaneRequest): void
  /** Sends a request of this lane once more, on a new connection; it keeps its slot. */
  restart(request: LaneRequest): void
  /**
   * Frees the slot of a request that has streamed its response for long; it occupies an extra connection instead.
   * Returns false if there is none for its client.
   */
  moveToExtraConnection(request: LaneRequest): boolean
  /** Frees what a request occupies whose response has ended, for the next ones in the queue. */
  release(request: LaneRequest): void
  /** The same for a request that has failed, whose connection is not used again. */
  releaseFailed(request: LaneRequest): void
  /** Fails a dispatched request with `reason` at once whose connection is not made yet. */
  cancelConnect(request: LaneRequest, reason: Error): void
  usage(): LaneUsage
  close(): Promise<void>
}

// Enough that a core which responds at once is never idle.
const defaultRecentRequests = 64

/**
 * A share of the connections to the core, of which clients and routes have shares in turn. Requests that may not start
 * are queued here and not inside undici, where a request can only be cancelled by destroying the connection that it is
 * assigned.
 */
export const createLane = (origin: string, options: LaneOptions): DispatchLane => {
  const clients = new CoreClients(origin, createCoreClientOptions(options.connectTimeoutMs))
  const slots = new LaneSlots(options.connections, options.extraConnections, options.onDominantClient)
  const queue = new LaneQueue<LaneRequest>(options.queue)

  const dispatch = (request: LaneRequest) => {
    pace.add(request)
    clients.dispatch(request)
  }

  const dispatchNext = () => {
    const next = slots.isFull ? null : queue.shift(slots)
    if (!next) return false
    slots.acquire(next)
    next.queueEntry = null
    next.onDequeued()
    dispatch(next)
    return true
  }

  // Several may start after one slot is freed: beside the next one, a client that was at its limit.
  const dispatchQueued = () => {
    while (!queue.isEmpty && !pace.mustWait() && dispatchNext());
  }

  const pace = new DispatchPace({
    limit: options.recentRequests ?? defaultRecentRequests,
    onNextIteration: dispatchQueued,
  })

  const enqueue = (request: LaneRequest) => {
    request.queueEntry = queue.push(request)
    return request.queueEntry !== null
  }

  return {
    start(request) {
      // Without a place in the queue, those are dispatched whose turn it is until it has one: a client that floods the queue
      // does not overtake others, and a request that may have a slot is not rejected.
      if (pace.mustWait())
        do if (enqueue(request)) return 'queued'
        while (dispatchNext())
      if (slots.acquire(request)) {
        dispatch(request)
        return 'dispatched'
      }
      return enqueue(request) ? 'queued' : 'rejected'
    },
    // Where the route has used up its share, its requests take long: the core is at fault and not the client. One that may
    // start has waited for the gateway.
    busyCode: ({ client, route }) =>
      slots.isFull || (slots.admitsClient(client) && !slots.admitsRoute(route))
        ? 'core_unavailable'
        : 'gateway_busy',
    cancel(request) {
      if (!request.queueEntry) return
      queue.remove(request.queueEntry)
      request.queueEntry = null
    },
    restart: (request) => clients.dispatchAgain(request),
    cancelConnect: (request, reason) => clients.destroy(request, reason),
    moveToExtraConnection(request) {
      if (!slots.moveToExtra(request)) return false
      dispatchQueued()
      return true
    },
    release(request) {
      pace.delete(request)
      clients.release(request)
      slots.release(request)
      dispatchQueued()
    },
    releaseFailed(request) {
      pace.delete(request)
      clients.discard(request)
      slots.release(request)
      dispatchQueued()
    },
    usage: () => ({
      ...clients.usage(),
      // Others wait for the next iterations of the event loop.
      waiting: slots.admitsEvery ? 0 : queue.length,
      used: slots.used,
      capacity: options.connections,
    }),
    close: () => clients.close(),
  }
}
