import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { startGatewayProcess } from '../gateway-process.ts'
import type { Bench } from '../open-bench.ts'
import { median } from '../statistics.ts'
import { table } from '../tables.ts'
import type { EngagementStore } from './open-store.ts'
import { accountIdOf, packIdOf, trackIdOf } from './sessions.ts'

// The account with the most events, and the one in the middle.
const ranks = { largest: 0, median: 25_000 }
// Backends report their counts at most once a second.
const statisticsDelayMs = 1500

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

const pathsOf = (rank: number) => {
  const year = `?from=${day(365)}&to=${day(0)}`
  return {
    'overview, 30 days': '/v1/analytics/overview',
    'overview, 366 days': `/v1/analytics/overview${year}`,
    'pack, 30 days': `/v1/analytics/packs/${packIdOf(rank)}`,
    'pack, 366 days': `/v1/analytics/packs/${packIdOf(rank)}${year}`,
    'track, 366 days': `/v1/analytics/tracks/${trackIdOf(rank)}${year}`,
    'events, first 200': '/v1/analytics/events?limit=200',
  }
}

const readBuffers = async (sql: postgres.Sql) => {
  await sleep(statisticsDelayMs)
  const [counted] = await sql`
    select blks_hit::float8 as hit, blks_read::float8 as read from pg_stat_database where datname = current_database()`
  return { hit: Number(counted?.hit), read: Number(counted?.read) }
}

const insertSubjects = async (sql: postgres.Sql, rank: number) => {
  await sql`
    insert into packs (id, owner_id, name) values (${packIdOf(rank)}, ${accountIdOf(rank)}, 'Bench')
    on conflict do nothing`
  await sql`
    insert into tracks (id, owner_id, title, artist)
    values (${trackIdOf(rank)}, ${accountIdOf(rank)}, 'Bench', 'Bench') on conflict do nothing`
}

/** Measures each report of two accounts through the gateway: the first request, the median of the next, and buffers. */
export const measureReports = async (bench: Bench, { url, sql }: EngagementStore, rounds: number) => {
  const { folder, issuer, stopAtEnd } = bench
  const environment = { RATE_LIMIT_ANALYTICS: 'off' }
  const gateway = stopAtEnd(
    await startGatewayProcess({ folder, databaseUrl: url, issuer, coreUrl: 'none', environment }),
  )
  const rows: string[][] = []
  for (const [account, rank] of Object.entries(ranks)) {
    await insertSubjects(sql, rank)
    const headers = { authorization: `Bearer ${await issuer.mintToken(accountIdOf(rank))}` }
    for (const [report, path] of Object.entries(pathsOf(rank))) {
      const before = await readBuffers(sql)
      const times: number[] = []
      for (let request = 0; request <= rounds; request++) {
        const start = performance.now()
        const response = await fetch(gateway.url + path, { headers })
        await response.text()
        if (!response.ok) throw new Error(`${path} returned ${response.status}`)
        times.push(performance.now() - start)
      }
      const after = await readBuffers(sql)
      const [first = Number.NaN, ...following] = times
      const buffers = (after.hit + after.read - before.hit - before.read) / times.length
      rows.push([`${account}: ${report}`, first.toFixed(1), median(following).toFixed(1), buffers.toFixed(0)])
    }
  }
  return table(['report', 'first ms', 'median ms', 'buffers'], rows)
}
