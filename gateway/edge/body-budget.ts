import { ApiError } from '#contracts/errors.ts'
import { FairShares } from '#proxy/fair-shares.ts'
import { clientNetworkOf } from '#proxy/headers/client-origin.ts'

/** The memory that one body has reserved in a budget. */
export interface BodyReservation {
  /**
   * @throws ApiError `gateway_busy` if the budget has too few bytes left or the client has used up its share of it; the
   * previous reservation stays in place.
   */
  resize(bytes: number): void
  /** Returns all bytes to the budget; a later `resize` throws. */
  release(): void
}

/** Limits the total memory of all bodies that are buffered at the same time: of requests, and of unread responses. */
export interface BodyBudget {
  readonly usedBytes: number
  /** Whether the client has that many more bytes left in its share. The address is only read if there are shares now. */
  admits(bytes: number, client: { clientAddress(): string }): boolean
  /** Counts bytes of the client that exist already, also beyond its share. The result returns them to the budget. */
  count(bytes: number, clientAddress: string): () => void
  /** Opens an empty reservation of the client with this address. */
  reserve(clientAddress: string): BodyReservation
}

/**
 * Creates the budget of a process or an isolate, of which clients have shares. Only bytes that have arrived count: a
 * declared `Content-Length` reserves nothing. `onDominantClient` is called when a client with nearly all of what is
 * used exceeds its share.
 */
export const createBodyBudget = (totalBytes: number, onDominantClient?: () => void): BodyBudget => {
  const shares = new FairShares(totalBytes, onDominantClient)

  const reserve = (clientAddress: string): BodyReservation => {
    const client = clientNetworkOf(clientAddress)
    let reservedBytes = 0
    let isReleased = false
    return {
      resize(bytes) {
        if (isReleased) throw new Error('cannot resize a released body reservation')
        const change = bytes - reservedBytes
        if (change > 0 && !shares.admits(client, change)) throw new ApiError('gateway_busy')
        shares.acquire(client, change)
        reservedBytes = bytes
      },
      release() {
        isReleased = true
        shares.release(client, reservedBytes)
        reservedBytes = 0
      },
    }
  }

  return {
    get usedBytes() {
      return shares.used
    },
    admits: (bytes, client) =>
      shares.used + bytes <= shares.capacity / 2 ||
      shares.admits(clientNetworkOf(client.clientAddress()), bytes),
    count(bytes, clientAddress) {
      const client = clientNetworkOf(clientAddress)
      shares.acquire(client, bytes)
      return () => shares.release(client, bytes)
    },
    reserve,
  }
}
