import { openDatabase } from '#db/client/connection.ts'
import type { LimitStore } from '#gateway/adapters/rate-limits/limit-store.ts'
import { createPostgresLimitStore } from '#gateway/adapters/rate-limits/rate-limit-postgres.ts'
import { openRedisLimitStore } from '#gateway/adapters/rate-limits/rate-limit-redis.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { isRedisInstalled, startRedisServer } from '#test/support/redis-server.ts'
import { useAllCpus } from './machine.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { median } from './statistics.ts'
import { table } from './tables.ts'

const clients = 10_000
const concurrency = 8
const batchSizes = [1, 10, 100]

interface Rate {
  readonly calls: number
  readonly p99Ms: number
}

const reservationOf = (client: number) => ({
  key: `bench:${client}`,
  limit: 1_000_000,
  maxHeld: 0,
  windowS: 3600,
  window: null,
  released: 0,
  own: 0,
})

const measureStore = async (store: LimitStore, batchSize: number, seconds: number): Promise<Rate> => {
  const durations: number[] = []
  let next = 0
  const end = performance.now() + seconds * 1000
  const call = async () => {
    while (performance.now() < end) {
      const reservations = Array.from({ length: batchSize }, () => reservationOf(next++ % clients))
      const startedAt = performance.now()
      await store.reserve(reservations)
      durations.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, call))
  const sorted = durations.toSorted((left, right) => left - right)
  return { calls: durations.length / seconds, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
}

const measureRounds = async (store: LimitStore, batchSize: number, { rounds, seconds }: BenchOptions) => {
  await measureStore(store, batchSize, 1)
  const rates: Rate[] = []
  for (let round = 0; round < rounds; round++) rates.push(await measureStore(store, batchSize, seconds))
  const calls = median(rates.map((rate) => rate.calls))
  return {
    calls: Math.round(calls).toLocaleString('en-US'),
    counters: Math.round(calls * batchSize).toLocaleString('en-US'),
    p99: median(rates.map(({ p99Ms }) => p99Ms)).toFixed(1),
  }
}

/** Measures how many reservations per second each store of the rate limits takes from one process. */
export const measureLimitStores = async (bench: Bench, options: BenchOptions): Promise<string> => {
  useAllCpus()
  const database = openDatabase(bench.databaseUrl, { connections: concurrency, prepare: true })
  bench.stopAtEnd({ stop: () => database.close() })
  const stores: [string, LimitStore][] = [['PostgreSQL', createPostgresLimitStore(database.db)]]
  if (await isRedisInstalled()) {
    const redis = bench.stopAtEnd(await startRedisServer())
    const store = await openRedisLimitStore(redis.url, createRecordingLog())
    bench.stopAtEnd({ stop: async () => store.close() })
    stores.push(['Redis', store])
  }
  const rows: string[][] = []
  for (const batchSize of batchSizes)
    for (const [name, store] of stores) {
      const { calls, counters, p99 } = await measureRounds(store, batchSize, options)
      rows.push([name, String(batchSize), calls, counters, p99])
    }
  return table(['store', 'counters in a call', 'calls/s', 'counters/s', 'p99 ms of a call'], rows)
}
