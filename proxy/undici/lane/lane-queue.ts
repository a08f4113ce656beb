import { FairShares } from '../../fair-shares.ts'
import { LinkedQueue, type QueueEntry } from './linked-queue.ts'

/** Whose shares a request uses. */
export interface ShareKeys {
  readonly client: string
  readonly route: string
}

/** Which waiting requests may start. */
export interface Admission {
  admitsRoute(route: string): boolean
  admitsClient(client: string): boolean
}

const moveToEnd = <V>(map: Map<string, V>, key: string) => {
  const value = map.get(key)
  if (value === undefined || map.size === 1) return
  map.delete(key)
  map.set(key, value)
}

/**
 * Waiting requests. Routes are served round-robin, and within a route its clients are, so a client that floods the
 * queue delays itself only. Its length is shared by the clients. By route first, because a route that may not start
 * requests is then skipped at once, however many of them wait.
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

  /** Null if the queue is full or the client has used up its share of it. */
  push(request: T): QueueEntry<T> | null {
    const { client, route } = request
    if (!this.#shares.admits(client)) return null
    this.#shares.acquire(client)
    const clients = this.#routes.get(route) ?? new Map<string, LinkedQueue<T>>()
    const requests = clients.get(client) ?? new LinkedQueue<T>()
    this.#routes.set(route, clients)
    clients.set(client, requests)
    return requests.push(request)
  }

  /** Ignores an entry that has left the queue. */
  remove(entry: QueueEntry<T>) {
    if (!entry.value) return
    const { client, route } = entry.value
    const clients = this.#routes.get(route)
    const requests = clients?.get(client)
    requests?.remove(entry)
    if (requests?.first === null) clients?.delete(client)
    if (clients?.size === 0) this.#routes.delete(route)
    this.#shares.release(client)
  }

  /** Removes the next request that may start; null if none may. */
  shift(admission: Admission): T | null {
    for (const [route, clients] of this.#routes) {
      if (!admission.admitsRoute(route)) continue
      for (const [client, { first }] of clients) {
        if (!first || !admission.admitsClient(client)) continue
        const request = first.value
        this.remove(first)
        moveToEnd(clients, client)
        moveToEnd(this.#routes, route)
        return request
      }
    }
    return null
  }
}
