import { ApiError } from '#contracts/errors.ts'
import { FairShares } from '#proxy/fair-shares.ts'
import { clientNetworkOf } from '#proxy/headers/client-origin.ts'

export interface BodyReservation {
  /**
   * @throws ApiError `gateway_busy` if the budget is too low or the client's share is used up. The previous reservation
   * stays in place.
   */
  resize(bytes: number): void
  /** Returns all bytes to the budget. A later `resize` throws. */
  release(): void
}

/** Limits the total memory of buffered request bodies and unread responses. */
export interface BodyBudget {
  readonly usedBytes: number
  /** Reads the client's address only if more than half of the budget is used, because shares apply only then. */
  admits(bytes: number, client: { clientAddress(): string }): boolean
  /** Counts bytes that already exist for the client, even beyond its share. Call the result to return them. */
  count(bytes: number, clientAddress: string): () => void
  reserve(clientAddress: string): BodyReservation
}

/**
 * Only received bytes count: a declared `Content-Length` reserves nothing. `onDominantClient` is called when a client
 * exceeds its share and holds over 80 % of the bytes in use.
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
