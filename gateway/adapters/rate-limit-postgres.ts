import { ApiError } from '#contracts/errors.ts'
import type { Database } from '#db/connection.ts'
import { countUse, deleteEndedCounts, uncountUse } from '#db/queries/rate-limits.ts'
import type { LimitPort } from '#native-routes/ports.ts'
import type { KeyedHash } from '../keyed-hash.ts'
import { describeError, type Log } from '../log.ts'
import type { Rates } from '../rate-settings.ts'
import type { LimitMemory } from './rate-limit-memory.ts'

interface LimitParts {
  readonly db: Database['db']
  readonly rates: Rates
  readonly hash: KeyedHash
  readonly memory: LimitMemory
  readonly log: Log
}

const refusal = (waitS: number) =>
  new ApiError(
    'analytics_rate_limited',
    {},
    { headers: { 'retry-after': String(Math.max(1, Math.ceil(waitS))) } },
  )

/**
 * Limits that all instances share, one statement a use, under keys that tell nothing of whom they count. The counts
 * are no effect of a request: where its route falls back to the core they stand. While the database cannot count,
 * each process does so for itself.
 */
export const createPostgresLimits = ({ db, rates, hash, memory, log }: LimitParts): LimitPort => {
  const keyOf = (limit: string, subject: string) => hash(`${limit} ${subject}`)

  const clean = async () => {
    if (!memory.isTimeToClean()) return
    await deleteEndedCounts(db).catch((error) =>
      log.warn({ failure: describeError(error) }, 'ended limits could not be removed'),
    )
  }

  const count = async (key: string, windowS: number) => {
    try {
      return await countUse(db, key, windowS)
    } catch (error) {
      log.warn({ failure: describeError(error) }, 'limits are counted by this process alone')
      return memory.count(key, windowS)
    }
  }

  return {
    async spend(limit, subject) {
      const rate = rates[limit]
      if (!rate) return
      const key = keyOf(limit, subject)
      const waitS = memory.exhaustedForS(key)
      if (waitS !== null) throw refusal(waitS)
      const { used, resetsInS } = await count(key, rate.seconds)
      await clean()
      if (used <= rate.count) return
      memory.exhaust(key, resetsInS * 1000)
      throw refusal(resetsInS)
    },

    async giveBack(limit, subject) {
      if (!rates[limit]) return
      await uncountUse(db, keyOf(limit, subject)).catch((error) =>
        log.warn({ failure: describeError(error) }, 'a use of a limit could not be given back'),
      )
    },
  }
}
