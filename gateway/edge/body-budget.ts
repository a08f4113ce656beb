import { ApiError } from '#contracts/errors.ts'

/** The share of one body in a budget. */
export interface BodyReservation {
  /** @throws ApiError `gateway_busy` where the budget has no room for as many bytes; what it held stays reserved. */
  resize(bytes: number): void
  /** Returns all bytes, for good: a later `resize` throws. */
  release(): void
}

/** Bounds the memory of all bodies that are buffered at a time. */
export interface BodyBudget {
  readonly usedBytes: number
  reserve(): BodyReservation
}

const retryAfter = { headers: { 'retry-after': '1' } }

/**
 * A budget is meant for a whole process, or an isolate. Memory counts once bytes have arrived for it: a length that is
 * only announced takes nothing away from others.
 */
export const createBodyBudget = (totalBytes: number): BodyBudget => {
  let usedBytes = 0

  const reserve = (): BodyReservation => {
    let reservedBytes = 0
    let isReleased = false
    return {
      resize(bytes) {
        if (isReleased) throw new Error('the reservation of this body was released')
        const change = bytes - reservedBytes
        if (usedBytes + change > totalBytes) throw new ApiError('gateway_busy', {}, retryAfter)
        usedBytes += change
        reservedBytes = bytes
      },
      release() {
        isReleased = true
        usedBytes -= reservedBytes
        reservedBytes = 0
      },
    }
  }

  return {
    get usedBytes() {
      return usedBytes
    },
    reserve,
  }
}
