import type { LimitGrant, LimitRefund, LimitReservation } from '#db/queries/rate-limits.ts'

/** Methods reject if the store does not respond within `storeTimeoutMs`; the store may have acted anyway. */
export interface LimitStore {
  /** Reserves uses for different keys, each in one atomic step. Returns the grants in the order of the reservations. */
  reserve(reservations: readonly LimitReservation[]): Promise<readonly LimitGrant[]>
  refund(refunds: readonly LimitRefund[]): Promise<void>
  /** Deletes expired counters, unless the store does so itself. */
  deleteExpired(): Promise<void>
}

/** A slow store delays every waiting request by up to this time. */
export const storeTimeoutMs = 1000
