import { ApiError } from '#contracts/errors.ts'
import type { Database } from '#db/connection.ts'
import type { KeyedHash } from '#db/keyed-hash.ts'
import { countUses, deleteEndedCounts, type Uses, uncountUse } from '#db/queries/rate-limits.ts'
import { within } from '#db/within.ts'
import type { LimitPort } from '#native-routes/ports.ts'
import { describeError, type Log } from '../log.ts'
import type { Rate, Rates } from '../rate-settings.ts'
import { batchCalls } from './batch-calls.ts'
import type { LimitMemory } from './rate-limit-memory.ts'

interface LimitParts {
  readonly db: Database['db']
  readonly rates: Rates
  readonly hash: KeyedHash
  readonly memory: LimitMemory
  readonly log: Log
}

// One that waits for another's row has everybody wait who comes behind it.
const patienceMs = 1000

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

  const count = batchCalls(async (batch: readonly Uses[]) => {
    try {
      return await within(patienceMs, countUses(db, batch))
    } catch (error) {
      log.warn({ failure: describeError(error) }, 'limits are counted by this process alone')
      return batch.map(({ key, uses, windowS }) => memory.count(key, uses, windowS))
    }
  })

  const claim = async (key: string, rate: Rate) => {
    const { used, resetsInS } = await count({ key, uses: rate.atOnce, windowS: rate.seconds })
    const granted = rate.atOnce - Math.max(0, used - rate.count)
    if (granted > 0) memory.claim(key, granted, resetsInS * 1000)
    else memory.exhaust(key, resetsInS * 1000)
    await clean()
  }

  // Whoever comes meanwhile waits for the same claim, lest all that is left be claimed by requests of one moment.
  const underWay = new Map<string, Promise<void>>()
  const claimOnce = (key: string, rate: Rate) => {
    const claiming = underWay.get(key) ?? claim(key, rate).finally(() => underWay.delete(key))
    underWay.set(key, claiming)
    return claiming
  }

  return {
    async spend(limit, subject) {
      const rate = rates[limit]
      if (!rate) return
      const key = keyOf(limit, subject)
      while (!memory.takeClaimed(key)) {
        const waitS = memory.exhaustedForS(key)
        if (waitS !== null) throw refusal(waitS)
        await claimOnce(key, rate)
      }
    },

    async giveBack(limit, subject) {
      if (!rates[limit]) return
      await uncountUse(db, keyOf(limit, subject)).catch((error) =>
        log.warn({ failure: describeError(error) }, 'a use of a limit could not be given back'),
      )
    },
  }
}
