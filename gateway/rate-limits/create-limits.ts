import { ApiError } from '#contracts/errors.ts'
import { type LimitName, rateLimitCodes } from '#contracts/shared/rate-limits.ts'
import type { KeyedHash } from '#db/hashes.ts'
import type { LimitGrant, LimitRefund, LimitReservation } from '#db/queries/rate-limits.ts'
import type { LimitPort, LimitStatus } from '#native-routes/ports.ts'
import { describeError } from '#shared/describe-error.ts'
import { createSingleFlight } from '#shared/single-flight.ts'
import { runOutsideTraces } from '#shared/tracing/trace.ts'
import type { Log } from '../observability/log.ts'
import type { Rate, Rates } from '../settings/rate-limits.ts'
import type { LimitState, TakenUse } from './limit-state.ts'

export class RateLimitExceeded extends ApiError<(typeof rateLimitCodes)[LimitName]> {
  readonly limitStatus: LimitStatus

  constructor(limitStatus: LimitStatus) {
    const { limit, resetsInS } = limitStatus
    super(
      rateLimitCodes[limit],
      {},
      { headers: { 'retry-after': String(Math.max(1, Math.ceil(resetsInS))) } },
    )
    this.limitStatus = limitStatus
  }
}

/** Methods reject if the store does not respond within `storeTimeoutMs`; the store may have acted anyway. */
export interface LimitStore {
  /** Reserves uses for different keys, each in one atomic step. Returns the grants in the order of the reservations. */
  reserve(reservations: readonly LimitReservation[]): Promise<readonly LimitGrant[]>
  refund(refunds: readonly LimitRefund[]): Promise<void>
  /** Deletes expired counters, unless the store does so itself. */
  deleteExpired(): Promise<void>
  /** Absent if it has no connection of its own. */
  close?(): void
}

/** A slow store delays every waiting request by up to this time. */
export const storeTimeoutMs = 1000

interface LimitOptions {
  readonly store: LimitStore
  readonly rates: Rates
  readonly hash: KeyedHash
  readonly state: LimitState
  readonly log: Log
}

export interface SharedLimits extends LimitPort {
  /** Refunds the uses that this process holds for idle keys. Never throws. */
  refundIdleUses(): Promise<void>
  /** Refunds everything this process holds. Never throws. */
  refundAllUses(): Promise<void>
}

// Optimized: see "GET of a share link by its token" in dev/bench/results/sharing.md.
/**
 * Combines single calls into batches: calls made while a batch runs go into the next one. `callAll` must return one
 * result per argument, in order, and must not fail.
 */
export const batchCalls = <A, R>(callAll: (batch: readonly A[]) => Promise<readonly R[]>) => {
  let nextBatch: { readonly batch: A[]; readonly results: Promise<readonly R[]> } | null = null
  let running: Promise<unknown> = Promise.resolve()

  const openBatch = () => {
    const batch: A[] = []
    const results = running.then(() => {
      nextBatch = null
      return runOutsideTraces(() => callAll(batch))
    })
    running = results
    return { batch, results }
  }

  return async (argument: A): Promise<R> => {
    nextBatch ??= openBatch()
    const { batch, results } = nextBatch
    const index = batch.push(argument) - 1
    const result = (await results)[index]
    if (result === undefined) throw new Error('a batch returned too few results')
    return result
  }
}

const localCountTtlMs = 5000
const recheckIntervalMs = 1000
// A key counts as idle once it has been unused for a tenth of its window.
const idlePartMs = 100
const maxRefundsPerStatement = 1000
const refundNothing = async () => {}
const ignoreStatus = () => {}

/**
 * Each instance holds some uses in advance, so few requests wait for the store (docs/decisions/0019). While the store
 * is down, each process counts on its own.
 */
export const createLimits = ({ store, rates, hash, state, log }: LimitOptions): SharedLimits => {
  const createKey = (limit: string, subject: string) => hash(`${limit} ${subject}`)

  const cleanUp = async () => {
    if (!state.isTimeToClean()) return
    await store
      .deleteExpired()
      .catch((error) =>
        log.warn({ failure: describeError(error) }, 'failed to delete expired rate-limit counters'),
      )
  }

  const reserveAllLocally = (batch: readonly LimitReservation[]) => {
    state.calls.local += batch.length
    return batch.map(state.reserveLocally)
  }

  const reserveAll = async (batch: readonly LimitReservation[]): Promise<readonly LimitGrant[]> => {
    if (state.usesLocalCounts()) return reserveAllLocally(batch)
    try {
      const grants = await store.reserve(batch)
      state.calls.completed += 1
      return grants
    } catch (error) {
      state.calls.failed += 1
      log.warn({ failure: describeError(error) }, 'rate-limit store unavailable, using in-memory counters')
      state.useLocalCounts(localCountTtlMs)
      return reserveAllLocally(batch)
    }
  }

  // The store's clock decides when the window ends. The remaining time is counted from before the statement was sent,
  // so that no use outlives the window.
  const reserveBatched = batchCalls(async (batch: readonly LimitReservation[]) => {
    const sentAt = state.now()
    const grants = await reserveAll(batch)
    return grants.map((grant) => ({ ...grant, until: sentAt + grant.resetsInS * 1000 }))
  })

  const refund = async (refunds: readonly LimitRefund[]) => {
    try {
      for (let sent = 0; sent < refunds.length; sent += maxRefundsPerStatement)
        await store.refund(refunds.slice(sent, sent + maxRefundsPerStatement))
    } catch (error) {
      log.warn({ failure: describeError(error) }, 'failed to refund rate-limit uses')
    }
  }

  // A use from an earlier window must not be refunded to a later one.
  const refundTaken = async (key: string, use: TakenUse) => {
    const { window, until } = use
    if (until <= state.now()) return
    if (window === null) state.refundLocally(key)
    else if (!state.usesLocalCounts()) {
      use.own -= 1
      use.used -= 1
      await refund([{ key, window, uses: 1, released: 0 }])
    }
    state.clearExhausted(key)
  }

  const reserveUses = async (key: string, rate: Rate, maxHeld: number) => {
    const report = state.heldUses.report(key)
    const reservation = { key, limit: rate.count, maxHeld, windowS: rate.seconds, ...report }
    const grant = await reserveBatched(reservation)
    if (grant.used > report.own + grant.granted) state.markShared()
    if (grant.granted > 0) return state.heldUses.add(key, { ...grant, idleMs: rate.seconds * idlePartMs })
    const canRecover = rate.isRefundable || grant.held > 0
    state.markExhausted(key, grant.until, canRecover ? recheckIntervalMs : Number.POSITIVE_INFINITY)
  }

  // On Workers, a request cannot await another request's promise. So if several reserve uses of a key at the same time,
  // only the first reserves some in advance.
  const reserveForKey = async (key: string, rate: Rate) => {
    const isFirst = state.beginReservation(key, storeTimeoutMs)
    await reserveUses(key, rate, isFirst ? rate.maxHeld : 0)
    if (isFirst) state.endReservation(key)
    await cleanUp()
  }

  // Concurrent requests share one reservation instead of each reserving in advance.
  const shared = createSingleFlight<void>()

  return {
    async reserve(limit, subject, report = ignoreStatus) {
      const rate = rates[limit]
      if (!rate) return refundNothing
      const key = createKey(limit, subject)
      const describe = (remaining: number, resetsInS: number) => ({
        limit,
        count: rate.count,
        windowS: rate.seconds,
        remaining,
        resetsInS,
      })
      for (;;) {
        const use = state.heldUses.take(key)
        if (use) {
          report(describe(Math.max(0, rate.count - use.used + use.left), (use.until - state.now()) / 1000))
          return () => refundTaken(key, use)
        }
        const waitS = state.findRetryAfterS(key)
        if (waitS !== null) throw new RateLimitExceeded(describe(0, waitS))
        await shared(key, () => reserveForKey(key, rate))
      }
    },

    async refundIdleUses() {
      if (state.isTimeToRefund()) await refund(state.heldUses.releaseUses('idle'))
    },

    async refundAllUses() {
      if (!state.usesLocalCounts()) await refund(state.heldUses.releaseUses('all'))
    },
  }
}
