import type { FairShares } from '../fair-shares.ts'
import type { ConnectionSettings } from '../node-streams/core-connection.ts'
import { LaneQueue, LaneSlots, type QueueEntry, type SlotUser } from './lane-places.ts'
import { createUndiciOptions, type DispatchedRequest, UndiciClients } from './undici-clients.ts'

/** How the connections of a lane are used now. */
export interface LaneUsage {
  /** Connections that are open. */
  readonly open: number
  /** Requests that wait until a connection is open. */
  readonly connecting: number
  /** Requests that wait for a slot. */
  readonly waiting: number
  /** Requests in progress, besides long streams, and how many there may be. */
  readonly used: number
  readonly capacity: number
}

/** An iteration of the event loop. */
interface Iteration {
  readonly startedAt: number
  /** Requests that were dispatched in it and have not ended. */
  requests: number
}

/** A request of which `DispatchPace` knows when it was dispatched. */
export interface PacedRequest {
  /** Set by `DispatchPace` alone; null before the dispatch and after the end. */
  dispatchedIn: Iteration | null
}

interface PaceOptions {
  /** How many requests may be recent. */
  readonly limit: number
  /** Called when requests that had to wait may be dispatched. */
  readonly onNextIteration: () => void
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/** How many iterations of the event loop, and how long at most, a request is recent. */
const recentIterations = 16
const recentMs = 25

/**
 * Limits how many requests have been dispatched recently and have not ended.
 *
 * A loop that is busy reads the requests of many clients in one iteration, and the core responds to the first of them
 * before the last is dispatched. Then the processor limits the throughput, and further requests in progress only displace
 * each other from its caches ("512 connections" in dev/bench/README.md). A core that takes long is not limited: while the loop
 * waits for it, its iterations take microseconds, and while it is busy otherwise, requests are recent for a few
 * milliseconds only.
 */
export class DispatchPace {
  readonly #limit: number
  readonly #onNextIteration: () => void
  readonly #now: () => number
  #iteration: Iteration
  /** The present iteration is the last one. */
  #recent: Iteration[]
  #isScheduled = false

  constructor({ limit, onNextIteration, now = () => performance.now() }: PaceOptions) {
    this.#limit = limit
    this.#onNextIteration = onNextIteration
    this.#now = now
    this.#iteration = { startedAt: now(), requests: 0 }
    this.#recent = [this.#iteration]
  }

  /** Whether further requests have to wait; `onNextIteration` follows if so. */
  mustWait(): boolean {
    let requests = 0
    for (const recent of this.#recent) requests += recent.requests
    if (requests < this.#limit) return false
    this.#schedule()
    return true
  }

  add(request: PacedRequest) {
    request.dispatchedIn = this.#iteration
    this.#iteration.requests += 1
    this.#schedule()
  }

  /** To be called when a request has ended; ignores one that was not dispatched. */
  delete(request: PacedRequest) {
    if (request.dispatchedIn) request.dispatchedIn.requests -= 1
    request.dispatchedIn = null
  }

  #schedule() {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#advance)
  }

  readonly #advance = () => {
    const startedAt = this.#now()
    this.#isScheduled = false
    this.#iteration = { startedAt, requests: 0 }
    this.#recent = this.#recent.filter((iteration) => startedAt - iteration.startedAt < recentMs)
    this.#recent.push(this.#iteration)
    if (this.#recent.length > recentIterations) this.#recent.shift()
    this.#onNextIteration()
  }
}

/** A request that waits for a connection of its lane. */
export interface LaneRequest extends DispatchedRequest, SlotUser, PacedRequest {
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
  readonly connection?: ConnectionSettings
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
  const undici = new UndiciClients(origin, createUndiciOptions(options.connectTimeoutMs, options.connection))
  const slots = new LaneSlots(options.connections, options.extraConnections, options.onDominantClient)
  const queue = new LaneQueue<LaneRequest>(options.queue)

  const dispatch = (request: LaneRequest) => {
    pace.add(request)
    undici.dispatch(request)
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
    busyCode: ({ clientNetwork, route }) =>
      slots.isFull || (slots.admitsClient(clientNetwork) && !slots.admitsRoute(route))
        ? 'core_unavailable'
        : 'gateway_busy',
    cancel(request) {
      if (!request.queueEntry) return
      queue.remove(request.queueEntry)
      request.queueEntry = null
    },
    restart: (request) => undici.dispatchAgain(request),
    cancelConnect: (request, reason) => undici.destroy(request, reason),
    moveToExtraConnection(request) {
      if (!slots.moveToExtra(request)) return false
      dispatchQueued()
      return true
    },
    release(request) {
      pace.delete(request)
      undici.release(request)
      slots.release(request)
      dispatchQueued()
    },
    releaseFailed(request) {
      pace.delete(request)
      undici.discard(request)
      slots.release(request)
      dispatchQueued()
    },
    usage: () => ({
      ...undici.usage(),
      // Others wait for the next iterations of the event loop.
      waiting: slots.admitsEvery ? 0 : queue.length,
      used: slots.used,
      capacity: options.connections,
    }),
    close: () => undici.close(),
  }
}
