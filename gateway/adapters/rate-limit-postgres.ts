import type { Database } from '#db/client/connection.ts'
import { withDatabaseTimeout } from '#db/client/unreachable.ts'
import type { KeyedHash } from '#db/keyed-hash.ts'
import { deleteExpiredCounts, type LimitUse, refundUse, reserveUses } from '#db/queries/rate-limits.ts'
import type { LimitPort } from '#native-routes/ports.ts'
import { rateLimited } from '#native-routes/rate-limits.ts'
import { describeError, type Log } from '../observability/log.ts'
import type { Rate, Rates } from '../settings/rate-limits.ts'
import { batchCalls } from './batch-calls.ts'
import type { LimitState } from './rate-limit-state.ts'
import { shareCalls } from './share-calls.ts'

interface LimitOptions {
  readonly db: Database['db']
  readonly rates: Rates
  readonly hash: KeyedHash
  readonly state: LimitState
  readonly log: Log
}

// A statement that waits for a row lock delays all later batches.
const databaseTimeoutMs = 1000
// How long counts stay local after a database error.
const localCountTtlMs = 5000
const recheckIntervalMs = 1000

/**
 * Rate limits that all instances share, with keyed hashes instead of subjects. One statement counts the uses of concurrent
 * requests, and reserves several in advance if the rate has a batch size. Counts are not effects of a request: they
 * remain when a route falls back to the core. While the database is unavailable, each process counts separately.
 */
export const createPostgresLimits = ({ db, rates, hash, state, log }: LimitOptions): LimitPort => {
  const createKey = (limit: string, subject: string) => hash(`${limit} ${subject}`)

  const cleanUp = async () => {
    if (!state.isTimeToClean()) return
    await deleteExpiredCounts(db).catch((error) =>
      log.warn({ failure: describeError(error) }, 'failed to delete expired rate-limit counters'),
    )
  }

  const countLocally = (batch: readonly LimitUse[]) =>
    batch.map(({ key, uses, windowS }) => state.countLocally(key, uses, windowS))

  const count = batchCalls(async (batch: readonly LimitUse[]) => {
    if (state.usesLocalCounts()) return countLocally(batch)
    try {
      return await withDatabaseTimeout(databaseTimeoutMs, reserveUses(db, batch))
    } catch (error) {
      log.warn({ failure: describeError(error) }, 'rate-limit store unavailable, using in-memory counters')
      state.useLocalCounts(localCountTtlMs)
      return countLocally(batch)
    }
  })

  const refund = async (key: string) => {
    if (state.usesLocalCounts()) return state.refundLocally(key)
    await withDatabaseTimeout(databaseTimeoutMs, refundUse(db, key)).catch((error) =>
      log.warn({ failure: describeError(error) }, 'failed to refund a rate-limit use'),
    )
  }

  const reserveBatch = async (key: string, rate: Rate, uses: number) => {
    const { used, resetsInS } = await count({ key, uses, windowS: rate.seconds })
    const granted = uses - Math.max(0, used - rate.count)
    const resetsInMs = resetsInS * 1000
    if (granted > 0) return state.addReserved(key, granted, resetsInMs)
    if (rate.isRefundable) await refund(key)
    state.markExhausted(key, resetsInMs, rate.isRefundable ? recheckIntervalMs : resetsInMs)
  }

  // A Worker request cannot await a promise of another request: only the first one reserves a whole batch.
  const reserveForKey = async (key: string, rate: Rate) => {
    const isFirst = state.beginReservation(key, databaseTimeoutMs)
    await reserveBatch(key, rate, isFirst ? rate.batchSize : 1)
    if (isFirst) state.endReservation(key)
    await cleanUp()
  }

  // Concurrent requests share one reservation, so that they do not reserve a batch each.
  const shared = shareCalls<void>()

  return {
    async reserve(limit, subject) {
      const rate = rates[limit]
      if (!rate) return
      const key = createKey(limit, subject)
      while (!state.takeReserved(key)) {
        const waitS = state.findRetryAfterS(key)
        if (waitS !== null) throw rateLimited(limit, waitS)
        await shared(key, () => reserveForKey(key, rate))
      }
    },

    async refund(limit, subject) {
      if (!rates[limit]) return
      const key = createKey(limit, subject)
      await refund(key)
      state.clearExhausted(key)
    },
  }
}
