import { FairShares, isWithinShare, KeyCounts } from '../../fair-shares.ts'
import type { Admission, ShareKeys } from './lane-queue.ts'

/**
 * What a request occupies: a slot that counts for the share of its route, a slot that does not, or an extra
 * connection.
 */
type Occupancy = 'counted-slot' | 'uncounted-slot' | 'extra-connection'

export interface SlotUser extends ShareKeys {
  /** Set by `LaneSlots` alone; null while the request occupies nothing. */
  occupancy: Occupancy | null
}

// A route alone gets two thirds. It needs more than a client, as a few clients that occupy it are not to deny it to others.
const routeFactor = 2

/**
 * The slots of a lane, shared by clients and by routes, and the connections beside them for long streams.
 *
 * Only the first few slots of a client count for the share of a route. Otherwise one client could use up the share of
 * a route, and with it the route of all other clients.
 */
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

  /** Whether every request may start, as no share is used up. */
  get admitsEvery() {
    return this.#clients.admitsAnyKey
  }

  admitsRoute(route: string) {
    const { used, capacity } = this.#clients
    return isWithinShare({ own: this.#routes.get(route), used, capacity }, 1, routeFactor)
  }

  admitsClient(client: string) {
    return this.#clients.admits(client)
  }

  /** Returns false if the lane is full or a share is used up. */
  acquire(user: SlotUser): boolean {
    const { client, route } = user
    if (!this.admitsRoute(route) || !this.admitsClient(client)) return false
    const isCounted = this.#clients.usedBy(client) < this.#countedPerClient
    if (isCounted) this.#routes.add(route, 1)
    this.#clients.acquire(client)
    user.occupancy = isCounted ? 'counted-slot' : 'uncounted-slot'
    return true
  }

  /** Replaces the slot by an extra connection; returns false if the client may have no more of them. */
  moveToExtra(user: SlotUser): boolean {
    if (!this.#extra.admits(user.client)) return false
    this.release(user)
    this.#extra.acquire(user.client)
    user.occupancy = 'extra-connection'
    return true
  }

  release(user: SlotUser) {
    const { client, route, occupancy } = user
    user.occupancy = null
    if (occupancy === null) return
    if (occupancy === 'extra-connection') return this.#extra.release(client)
    if (occupancy === 'counted-slot') this.#routes.add(route, -1)
    this.#clients.release(client)
  }
}
