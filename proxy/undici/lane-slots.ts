import { FairShares, isWithinShare, KeyCounts } from '../fair-shares.ts'

/** Whose shares a request uses. Clients are counted by network (see `clientNetworkOf`). */
export interface ShareKeys {
  readonly clientNetwork: string
  readonly route: string
}

export interface Admission {
  admitsRoute(route: string): boolean
  admitsClient(clientNetwork: string): boolean
}

/** What a request occupies: a slot that counts towards its route's share, one that does not, or an extra connection. */
type Occupancy = 'counted-slot' | 'uncounted-slot' | 'extra-connection'

export interface SlotUser extends ShareKeys {
  /** Set only by `LaneSlots`; null while the request occupies nothing. */
  occupancy: Occupancy | null
}

// A single route may use two thirds of the slots. That is more than a client may use, because otherwise a few clients
// could deny the route to everyone else.
const routeFactor = 2

/** Only a client's first few slots count towards a route's share, so one client cannot use it up for everyone. */
export class LaneSlots implements Admission {
  readonly #clients: FairShares
  readonly #routes = new KeyCounts()
  readonly #extra: FairShares
  readonly #countedPerClient: number

  /** `extra` may be shared with other lanes. */
  constructor(slots: number, extra: FairShares, onDominant: () => void) {
    this.#clients = new FairShares(slots, onDominant)
    this.#extra = extra
    this.#countedPerClient = Math.max(1, Math.floor(slots / 64))
  }

  get used() {
    return this.#clients.used
  }

  get isFull() {
    return this.used >= this.#clients.capacity
  }

  get admitsEvery() {
    return this.#clients.admitsAnyKey
  }

  admitsRoute(route: string) {
    const { used, capacity } = this.#clients
    return isWithinShare({ own: this.#routes.get(route), used, capacity }, 1, routeFactor)
  }

  admitsClient(clientNetwork: string) {
    return this.#clients.admits(clientNetwork)
  }

  acquire(user: SlotUser): boolean {
    const { clientNetwork, route } = user
    if (!this.admitsRoute(route) || !this.admitsClient(clientNetwork)) return false
    const isCounted = this.#clients.usedBy(clientNetwork) < this.#countedPerClient
    if (isCounted) this.#routes.add(route, 1)
    this.#clients.acquire(clientNetwork)
    user.occupancy = isCounted ? 'counted-slot' : 'uncounted-slot'
    return true
  }

  moveToExtra(user: SlotUser): boolean {
    if (!this.#extra.admits(user.clientNetwork)) return false
    this.release(user)
    this.#extra.acquire(user.clientNetwork)
    user.occupancy = 'extra-connection'
    return true
  }

  release(user: SlotUser) {
    const { clientNetwork, route, occupancy } = user
    user.occupancy = null
    if (occupancy === null) return
    if (occupancy === 'extra-connection') return this.#extra.release(clientNetwork)
    if (occupancy === 'counted-slot') this.#routes.add(route, -1)
    this.#clients.release(clientNetwork)
  }
}

/** An entry in a queue. It can be removed from any position. */
export interface QueueEntry<T> {
  /** Null once it has left the queue. */
  value: T | null
  previous: QueueEntry<T> | null
  next: QueueEntry<T> | null
}

class LinkedQueue<T> {
  first: QueueEntry<T> | null = null
  #last: QueueEntry<T> | null = null

  push(value: T): QueueEntry<T> {
    const entry: QueueEntry<T> = { value, previous: this.#last, next: null }
    if (this.#last) this.#last.next = entry
    else this.first = entry
    this.#last = entry
    return entry
  }

  /** The entry must be in this queue. */
  remove(entry: QueueEntry<T>) {
    const { previous, next } = entry
    if (previous) previous.next = next
    else this.first = next
    if (next) next.previous = previous
    else this.#last = previous
    // An entry that waited long sits in the heap's old generation until a full collection. If it still referred to its
    // request or to the next entry, they would stay in memory until then too.
    entry.value = null
    entry.previous = null
    entry.next = null
  }
}

const moveToEnd = <V>(map: Map<string, V>, key: string) => {
  const value = map.get(key)
  if (value === undefined || map.size === 1) return
  map.delete(key)
  map.set(key, value)
}

/**
 * Waiting requests, served round-robin by route and then by client, so a client that floods the queue delays only
 * itself. Routes come first, so that a route that may not start requests is skipped in one step, however many of its
 * requests are waiting. Each client gets only a share of the queue's length.
 */
export class LaneQueue<T extends ShareKeys> {
  readonly #routes = new Map<string, Map<string, LinkedQueue<T>>>()
  readonly #shares: FairShares

  constructor(capacity: number) {
    this.#shares = new FairShares(capacity)
  }

  get isEmpty() {
    return this.length === 0
  }

  get length() {
    return this.#shares.used
  }

  push(request: T): QueueEntry<T> | null {
    const { clientNetwork, route } = request
    if (!this.#shares.admits(clientNetwork)) return null
    this.#shares.acquire(clientNetwork)
    const clients = this.#routes.get(route) ?? new Map<string, LinkedQueue<T>>()
    const requests = clients.get(clientNetwork) ?? new LinkedQueue<T>()
    this.#routes.set(route, clients)
    clients.set(clientNetwork, requests)
    return requests.push(request)
  }

  /** Ignores an entry that has left the queue. */
  remove(entry: QueueEntry<T>) {
    if (!entry.value) return
    const { clientNetwork, route } = entry.value
    const clients = this.#routes.get(route)
    const requests = clients?.get(clientNetwork)
    requests?.remove(entry)
    if (requests?.first === null) clients?.delete(clientNetwork)
    if (clients?.size === 0) this.#routes.delete(route)
    this.#shares.release(clientNetwork)
  }

  shift(admission: Admission): T | null {
    for (const [route, clients] of this.#routes) {
      if (!admission.admitsRoute(route)) continue
      for (const [clientNetwork, { first }] of clients) {
        if (!first || !admission.admitsClient(clientNetwork)) continue
        const request = first.value
        this.remove(first)
        moveToEnd(clients, clientNetwork)
        moveToEnd(this.#routes, route)
        return request
      }
    }
    return null
  }
}
