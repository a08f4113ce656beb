import type { Database } from '#db/client/connection.ts'
import { withDatabaseTimeout } from '#db/client/unreachable.ts'
import { deleteExpiredCounts, type LimitGrant, refundUses, reserveUses } from '#db/queries/rate-limits.ts'
import { type LimitStore, storeTimeoutMs } from './create-limits.ts'

// The statement scans all of its reservations for each row, which is slow if there are many.
const maxReservationsPerStatement = 100

/** Concurrent requests share one statement. */
export const createPostgresLimitStore = (db: Database['db']): LimitStore => ({
  async reserve(reservations) {
    const grants: LimitGrant[] = []
    for (let sent = 0; sent < reservations.length; sent += maxReservationsPerStatement) {
      const statement = reserveUses(db, reservations.slice(sent, sent + maxReservationsPerStatement))
      grants.push(...(await withDatabaseTimeout(storeTimeoutMs, statement)))
    }
    return grants
  },
  refund: (refunds) => withDatabaseTimeout(storeTimeoutMs, refundUses(db, refunds)),
  deleteExpired: () => withDatabaseTimeout(storeTimeoutMs, deleteExpiredCounts(db)),
})
