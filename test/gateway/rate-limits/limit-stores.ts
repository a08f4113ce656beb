import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { inject } from 'vitest'
import type { LimitStore } from '#gateway/rate-limits/create-limits.ts'
import { createPostgresLimitStore } from '#gateway/rate-limits/rate-limit-postgres.ts'
import { openRedisLimitStore } from '#gateway/rate-limits/rate-limit-redis.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

export interface OpenedStore {
  readonly store: LimitStore
  /** Ends the windows of all counters, as if their time had passed. */
  endWindows(): Promise<void>
  dump(): Promise<string>
  close(): Promise<void>
}

// A window is identified by its end in milliseconds, so the next window must end in a later millisecond.
const passMillisecond = () => sleep(2)

const openPostgres = async (): Promise<OpenedStore> => {
  const database = await createTestDatabase()
  const { sql } = database
  return {
    store: createPostgresLimitStore(database.db),
    endWindows: async () => {
      await sql`update rate_limits set resets_at = now()`
      await passMillisecond()
    },
    dump: async () => JSON.stringify(await sql`select * from rate_limits`),
    close: () => database.close(),
  }
}

const openRedis = async (): Promise<OpenedStore> => {
  const url = inject('redisUrl') ?? ''
  const store = await openRedisLimitStore(url, createRecordingLog())
  const client = await createClient({ url }).connect()
  const read = async (key: string) => [key, await client.hGetAll(key), (await client.pTTL(key)) > 0]
  return {
    store,
    // Clears the whole server. All tests of the run share it, but no other test depends on its counters.
    endWindows: async () => {
      await client.flushDb()
      await passMillisecond()
    },
    dump: async () => JSON.stringify(await Promise.all((await client.keys('*')).map(read))),
    close: async () => {
      store.close()
      client.destroy()
    },
  }
}

export const limitStores = [
  { name: 'PostgreSQL', isMissing: false, open: openPostgres },
  { name: 'Redis', isMissing: inject('redisUrl') === null, open: openRedis },
]
