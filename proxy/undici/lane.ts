import type { FairShares } from '../fair-shares.ts'
import type { ConnectionSettings } from '../node-streams/core-connection.ts'
import { LaneQueue, LaneSlots, type QueueEntry, type SlotUser } from './lane-slots.ts'
import { createUndiciOptions, type DispatchedRequest, UndiciClients } from './undici-clients.ts'

export interface LaneUsage {
  readonly open: number
  readonly connecting: number
  readonly waiting: number
  /** Requests in progress, not counting long streams. `capacity` is their maximum. */
  readonly used: number
  readonly capacity: number
}

interface Iteration {
  readonly startedAt: number
  requests: number
}

export interface PacedRequest {
  /** Set only by `DispatchPace`; null before the dispatch and after the end. */
  dispatchedIn: Iteration | null
}

interface PaceOptions {
  readonly limit: number
  /** Called when requests that had to wait may be dispatched. */
  readonly onNextIteration: () => void
  readonly now?: () => number
}

const recentIterations = 16
const recentMs = 25

/**
 * Limits how many recently dispatched requests are still running. A busy event loop reads many requests in one
 * iteration, and running more of them only makes them evict each other from the processor's caches ("512 connections"
 * in dev/bench/results/forwarding.md). A slow core is not limited, because a loop that mostly waits iterates in
 * microseconds. So requests stop being recent within milliseconds.
 */
export class DispatchPace {
  readonly #limit: number
  readonly #onNextIteration: () => void
  readonly #now: () => number
  #iteration: Iteration
  /** The last one is the current iteration. */
  #recent: Iteration[]
  #isScheduled = false

  constructor({ limit, onNextIteration, now = () => performance.now() }: PaceOptions) {
    this.#limit = limit
    this.#onNextIteration = onNextIteration
    this.#now = now
    this.#iteration = { startedAt: now(), requests: 0 }
    this.#recent = [this.#iteration]
  }

  /** Whether more requests have to wait. If so, `onNextIteration` is called later. */
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

  /** Call this when a request has ended. Ignores one that was not dispatched. */
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

export interface LaneRequest extends DispatchedRequest, SlotUser, PacedRequest {
  /** Its entry in the lane's queue; null while not queued. Only the lane sets it. */
  queueEntry: QueueEntry<LaneRequest> | null
  onDequeued(): void
}

interface LaneOptions {
  readonly connections: number
  readonly queue: number
  /** How many requests dispatched in the last few iterations may be unfinished. Defaults to 64. */
  readonly recentRequests?: number
  /** Connections for long streams, shared by all lanes of a core. */
  readonly extraConnections: FairShares
  readonly connectTimeoutMs: number
  readonly connection?: ConnectionSettings
  readonly onDominantClient: () => void
}

// Enough to keep even a core that responds instantly busy.
const defaultRecentRequests = 64

/** Waiting requests queue here and not inside undici, which can cancel one only by destroying its connection. */
export const createLane = (origin: string, options: LaneOptions) => {
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

  // Freeing one slot may let several requests start: the next one in the queue, and one from a client that was at its
  // limit.
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
    start(request: LaneRequest): 'dispatched' | 'queued' | 'rejected' {
      // If the queue is full, the next requests in it are dispatched until there is room. So a client that floods the
      // queue cannot overtake others, and a request that may have a slot is not rejected.
      if (pace.mustWait()) {
        do {
          if (enqueue(request)) return 'queued'
        } while (dispatchNext())
      }
      if (slots.acquire(request)) {
        dispatch(request)
        return 'dispatched'
      }
      return enqueue(request) ? 'queued' : 'rejected'
    },
    // If the route has used up its share, its requests are slow, so the core is to blame. A request that may start has
    // only been waiting for the gateway.
    busyCode: ({ clientNetwork, route }: LaneRequest) =>
      slots.isFull || (slots.admitsClient(clientNetwork) && !slots.admitsRoute(route))
        ? 'core_unavailable'
        : 'gateway_busy',
    /** Removes a request from the queue in constant time. Ignores one that is not queued. */
    cancel(request: LaneRequest) {
      if (!request.queueEntry) return
      queue.remove(request.queueEntry)
      request.queueEntry = null
    },
    /** Sends a request once more on a new connection. It keeps its slot. */
    restart: (request: LaneRequest) => undici.dispatchAgain(request),
    /** Fails a dispatched request with `reason` if its connection has not been made yet. */
    cancelConnect: (request: LaneRequest, reason: Error) => undici.destroy(request, reason),
    /** Moves a long-running stream from its slot to an extra connection. Returns false if its client may not have one. */
    moveToExtraConnection(request: LaneRequest) {
      if (!slots.moveToExtra(request)) return false
      dispatchQueued()
      return true
    },
    release(request: LaneRequest) {
      pace.delete(request)
      undici.release(request)
      slots.release(request)
      dispatchQueued()
    },
    /** Like `release`, for a failed request, whose connection is not reused. */
    releaseFailed(request: LaneRequest) {
      pace.delete(request)
      undici.discard(request)
      slots.release(request)
      dispatchQueued()
    },
    usage: (): LaneUsage => ({
      ...undici.usage(),
      // If every request may start, those in the queue only wait for the next iterations of the event loop.
      waiting: slots.admitsEvery ? 0 : queue.length,
      used: slots.used,
      capacity: options.connections,
    }),
    close: () => undici.close(),
  }
}

export type DispatchLane = ReturnType<typeof createLane>
