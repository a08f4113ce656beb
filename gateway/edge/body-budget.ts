import { ApiError } from '#contracts/errors.ts'

/** The memory that one body has reserved in a budget. */
export interface BodyReservation {
  /** @throws ApiError `gateway_busy` if the budget has too few bytes left; the previous reservation stays in place. */
  resize(bytes: number): void
  /** Returns all bytes to the budget; a later `resize` throws. */
  release(): void
}

/** Limits the total memory of all bodies that are buffered at the same time. */
export interface BodyBudget {
  readonly usedBytes: number
  reserve(): BodyReservation
}

const retryAfter = { headers: { 'retry-after': '1' } }

/**
 * Creates the budget of a process or an isolate. Only bytes that have arrived count: a declared `Content-Length`
 * reserves nothing.
 */
export const createBodyBudget = (totalBytes: number): BodyBudget => {
  let usedBytes = 0

  const reserve = (): BodyReservation => {
    let reservedBytes = 0
    let isReleased = false
    return {
      resize(bytes) {
        if (isReleased) throw new Error('cannot resize a released body reservation')
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
