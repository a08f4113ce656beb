import { ApiError } from '#contracts/errors.ts'
import type { Database } from '#db/client/connection.ts'
import { withDatabaseTimeout } from '#db/client/unreachable.ts'
import type { KeyedHash } from '#db/keyed-hash.ts'
import { deleteEndedCounts, type LimitUse, refundUse, reserveUses } from '#db/queries/rate-limits.ts'
import type { LimitPort } from '#native-routes/ports.ts'
import { describeError, type Log } from '../observability/log.ts'
import type { Rate, Rates } from '../settings/rate-limits.ts'
import { batchCalls } from './batch-calls.ts'
import type { LimitMemory } from './rate-limit-memory.ts'
import { shareCalls } from './share-calls.ts'

interface LimitParts {
  readonly db: Database['db']
  readonly rates: Rates
  readonly hash: KeyedHash
  readonly memory: LimitMemory
  readonly log: Log
}

// One that waits for another's row has everybody wait who comes behind it.
const patienceMs = 1000
// Nobody else is made to wait so long for a database that cannot count.
const aloneForMs = 5000
const lookAgainAfterMs = 1000

const refusal = (waitS: number) =>
  new ApiError(
    'analytics_rate_limited',
    {},
    { headers: { 'retry-after': String(Math.max(1, Math.ceil(waitS))) } },
  )

/**
 * Limits that all instances share, under keys that tell nothing of whom they count. Uses are counted by one statement
 * for whoever comes at the same time, a few ahead where the rate says so. The counts are no effect of a request: where
 * its route falls back to the core they stand. While the database cannot count, each process does so for itself.
 */
export const createPostgresLimits = ({ db, rates, hash, memory, log }: LimitParts): LimitPort => {
  const keyOf = (limit: string, subject: string) => hash(`${limit} ${subject}`)

  const clean = async () => {
    if (!memory.isTimeToClean()) return
    await deleteEndedCounts(db).catch((error) =>
      log.warn({ failure: describeError(error) }, 'ended limits could not be removed'),
    )
  }

  const countHere = (batch: readonly LimitUse[]) =>
    batch.map(({ key, uses, windowS }) => memory.count(key, uses, windowS))

  const count = batchCalls(async (batch: readonly LimitUse[]) => {
    if (memory.isAlone()) return countHere(batch)
    try {
      return await withDatabaseTimeout(patienceMs, reserveUses(db, batch))
    } catch (error) {
      log.warn({ failure: describeError(error) }, 'limits are counted by this process alone')
      memory.standAlone(aloneForMs)
      return countHere(batch)
    }
  })

  const uncount = async (key: string) => {
    if (memory.isAlone()) return memory.uncount(key)
    await withDatabaseTimeout(patienceMs, refundUse(db, key)).catch((error) =>
      log.warn({ failure: describeError(error) }, 'a use of a limit could not be given back'),
    )
  }

  const claimSome = async (key: string, rate: Rate, uses: number) => {
    const { used, resetsInS } = await count({ key, uses, windowS: rate.seconds })
    const granted = uses - Math.max(0, used - rate.count)
    const resetsInMs = resetsInS * 1000
    if (granted > 0) return memory.claim(key, granted, resetsInMs)
    if (rate.isReturnable) await uncount(key)
    memory.exhaust(key, resetsInMs, rate.isReturnable ? lookAgainAfterMs : resetsInMs)
  }

  // Ports of a Worker serve one request and cannot wait for what another one asks: only the first of them counts ahead.
  const claim = async (key: string, rate: Rate) => {
    const isFirst = memory.beginClaim(key, patienceMs)
    await claimSome(key, rate, isFirst ? rate.atOnce : 1)
    if (isFirst) memory.endClaim(key)
    await clean()
  }

  // Whoever comes meanwhile waits for the same claim, lest all that is left be claimed by requests of one moment.
  const shared = shareCalls<void>()

  return {
    async spend(limit, subject) {
      const rate = rates[limit]
      if (!rate) return
      const key = keyOf(limit, subject)
      while (!memory.takeClaimed(key)) {
        const waitS = memory.exhaustedForS(key)
        if (waitS !== null) throw refusal(waitS)
        await shared(key, () => claim(key, rate))
      }
    },

    async giveBack(limit, subject) {
      if (!rates[limit]) return
      const key = keyOf(limit, subject)
      await uncount(key)
      memory.relieve(key)
    },
  }
}
