import type postgres from 'postgres'
import { startGatewayProcess } from '../gateway-process.ts'
import type { Bench } from '../open-bench.ts'
import { median } from '../statistics.ts'
import { table } from '../tables.ts'
import type { EngagementStore } from './open-store.ts'
import { countBuffers, listReports } from './reports.ts'
import { accountIdOf, packIdOf, trackIdOf } from './sessions.ts'

// The account with the most events, and the one in the middle.
const ranks = { largest: 0, median: 25_000 }

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
    for (const report of listReports(rank)) {
      const times: number[] = []
      for (let request = 0; request <= rounds; request++) {
        const start = performance.now()
        const response = await fetch(gateway.url + report.path, { headers })
        await response.text()
        if (!response.ok) throw new Error(`${report.path} returned ${response.status}`)
        times.push(performance.now() - start)
      }
      const [first = Number.NaN, ...following] = times
      const buffers = await countBuffers(url, report)
      rows.push([
        `${account}: ${report.name}`,
        first.toFixed(1),
        median(following).toFixed(1),
        buffers.toFixed(0),
      ])
    }
  }
  return table(['report', 'first ms', 'median ms', 'buffers'], rows)
}
