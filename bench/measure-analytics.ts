// node bench/measure-analytics.ts [EVENTS] [LINKS]
import { isDeepStrictEqual } from 'node:util'
import postgres from 'postgres'
import { baseline, checkOutBaseline } from './baseline.ts'
import { startGatewayProcess } from './gateway-process.ts'
import { currentGateway, measureInterleaved, type Peer } from './measure-interleaved.ts'
import { type Bench, openBench } from './open-bench.ts'
import { median, pairedRatio } from './statistics.ts'

const owner = 'acct_bench'
const packId = 'pack_bench'
const eventCount = Number(process.argv[2] ?? 1_000_000)
const linkCount = Number(process.argv[3] ?? 5)
const batchSize = 10_000
const rounds = 40
// The last commit that summed up the days of each link.
const baselineCommit = '5a3a3594f39a8f43addf4b0fb196e6049562a4c2'

const print = (line: string) => process.stdout.write(`${line}\n`)

// A year of events of one pack:
// - half are from visitors with one event each, half from 20,000 visitors who return on irregular days
// - each visitor uses one link
// - they have 150 sources, of which a report lists 100
// - one in a hundred is inserted nine days late
const insertEvents = async (sql: postgres.Sql) => {
  for (let first = 0; first < eventCount; first += batchSize)
    await sql`
      insert into engagement_events
        (id, owner_id, type, occurred_at, pack_id, track_id, link_kind, link_id, source, session_id)
      select gen_random_uuid(), ${owner},
        (array['pack.viewed', 'track.played', 'track.downloaded', 'pack.shared'])[1 + n % 4],
        now() - interval '365 days' * (1 - n::float8 / ${eventCount})
          - case when n % 100 = 0 then interval '9 days' else interval '0' end,
        ${packId}, 'track_' || n % 12, 'pack', 'link_' || visitor % ${linkCount}, 'source ' || n % 150,
        case when n % 2 = 0 then 'single-visit-' else 'returning-' end || visitor
      from generate_series(${first}::int, ${Math.min(first + batchSize, eventCount) - 1}::int) n,
        lateral (select case when n % 2 = 0 then n / 2 else abs(hashint4(n)::bigint) % 20000 end as visitor) visitors`
}

type Report = Record<string, unknown> & { readonly byLink: readonly { readonly linkId: string }[] }

// No order of the links is specified.
const sortLinks = (report: Report) => ({
  ...report,
  byLink: report.byLink.toSorted((left, right) => (left.linkId < right.linkId ? -1 : 1)),
})

const readReport = async (url: string, token: string, query: string) => {
  const before = performance.now()
  const response = await fetch(`${url}/v1/analytics/packs/${packId}${query}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the report returned ${response.status}`)
  return { text, ms: performance.now() - before }
}

const startGateways = async ({ folder, databaseUrl, issuer, stopAtEnd }: Bench): Promise<Peer[]> => {
  const environment = { RATE_LIMIT_ANALYTICS: 'off' }
  const options = { folder, databaseUrl, issuer, coreUrl: 'none', environment }
  const projectFolder = await checkOutBaseline({ stopAtEnd }, baselineCommit)
  return [
    { name: currentGateway, ...stopAtEnd(await startGatewayProcess(options)) },
    { name: baseline, ...stopAtEnd(await startGatewayProcess({ ...options, projectFolder })) },
  ]
}

const measureReport = async (gateways: readonly Peer[], token: string, query: string) => {
  const reports = await Promise.all(
    gateways.map(async ({ url }) => sortLinks(JSON.parse((await readReport(url, token, query)).text))),
  )
  const areEqual = reports.every((report) => isDeepStrictEqual(report, reports[0]))
  const samples = await measureInterleaved(gateways, rounds, async ({ url }) => {
    const { ms } = await readReport(url, token, query)
    return ms
  })
  const [current = [], before = []] = [currentGateway, baseline].map((name) => samples.get(name))
  const ratio = pairedRatio(current, before)
  return [
    `median ${median(current).toFixed(1)} ms, ${baseline} ${median(before).toFixed(1)} ms`,
    `ratio ${ratio.median.toFixed(2)} (${ratio.lowest.toFixed(2)} to ${ratio.highest.toFixed(2)})`,
    `the reports are ${areEqual ? 'equal' : 'not equal'}`,
  ].join('; ')
}

const printTotals = async (sql: postgres.Sql) => {
  const [counted] = await sql`
    select count(distinct (link_id, session_id))::int as visitors, count(*)::int as events from engagement_events
    where pack_id = ${packId} and (occurred_at at time zone 'UTC')::date between current_date - 200 and current_date - 20`
  const [rolledUp] = await sql`
    select (select sum(visitors)::int from engagement_returns where subject_kind = 'pack' and subject_id = ${packId}
        and day between current_date - 200 and current_date - 20 and last_day < current_date - 200) as visitors,
      (select sum(views + plays + downloads + shares)::int from engagement_days where subject_kind = 'pack'
        and subject_id = ${packId} and day between current_date - 200 and current_date - 20) as events`
  print(
    `expected to be equal: counted from the events ${JSON.stringify(counted)}, from the daily rollups ${JSON.stringify(rolledUp)}`,
  )
}

const run = async () => {
  const bench = await openBench()
  const stop = () => bench.end().finally(() => process.exit(1))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const sql = postgres(bench.databaseUrl, { max: 1, onnotice: () => {} })
  try {
    await sql`insert into packs (id, owner_id, name) values (${packId}, ${owner}, 'Bench')`
    const before = performance.now()
    await insertEvents(sql)
    const seconds = (performance.now() - before) / 1000
    print(
      `${eventCount} events in ${seconds.toFixed(0)} s, ${((seconds * 1e6) / eventCount).toFixed(0)} µs each`,
    )
    const scans = await sql`
      select relname, seq_scan::int, seq_tup_read::float8, idx_scan::float8 from pg_stat_user_tables
      where relname like 'engagement_%' order by relname`
    for (const { relname, ...scan } of scans) print(`  ${relname} ${JSON.stringify(scan)}`)
    await sql`analyze`
    const gateways = await startGateways(bench)
    const token = await bench.issuer.mintToken(owner)
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    print(`30 days:  ${await measureReport(gateways, token, '')}`)
    print(`366 days: ${await measureReport(gateways, token, `?from=${day(365)}&to=${day(0)}`)}`)
    await printTotals(sql)
  } finally {
    await sql.end()
    await bench.end()
  }
}

await run()
