import type { LimitGrant, LimitRefund, LimitReservation } from '#db/queries/rate-limits.ts'

/**
 * The counters that all instances share. A method rejects if the store does not respond within `storeTimeoutMs`; it may
 * still have done, or do later, what it was asked to.
 */
export interface LimitStore {
  /** Reserves uses of different keys, each in one atomic step. Returns the grants in the same order. */
  reserve(reservations: readonly LimitReservation[]): Promise<readonly LimitGrant[]>
  /** Refunds uses of different keys. */
  refund(refunds: readonly LimitRefund[]): Promise<void>
  /** Deletes the counters of windows that have ended, if the store does not do so itself. */
  deleteExpired(): Promise<void>
}

/** A store that takes longer delays the requests that wait for it. */
export const storeTimeoutMs = 1000
