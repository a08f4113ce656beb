// node bench/measure-analytics.ts [EVENTS] [LINKS]
import postgres from 'postgres'
import { startGateway } from '#gateway/node/start-gateway.ts'
import { readSettings } from '#gateway/settings/settings.ts'
import { createGatewayEnvironment } from './gateway-process.ts'
import { openBench } from './open-bench.ts'

const owner = 'acct_bench'
const packId = 'pack_bench'
const eventCount = Number(process.argv[2] ?? 1_000_000)
const linkCount = Number(process.argv[3] ?? 5)
const batchSize = 10_000
const requests = 60

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

const printPlans = async (sql: postgres.Sql) => {
  const where = sql`
    subject_kind = 'pack' and subject_id = ${packId} and day between current_date - 365 and current_date`
  const queryPlans = {
    days: sql`
      explain (analyze, buffers off, costs off) select day, sum(views) from engagement_days where ${where} group by day`,
    visitors: sql`
      explain (analyze, buffers off, costs off) select link_id, sum(visitors) from engagement_returns
      where ${where} and last_day < current_date - 365 group by link_id`,
    sources: sql`
      explain (analyze, buffers off, costs off) select source, sum(views) from engagement_sources
      where ${where} group by source order by 2 desc limit 100`,
  }
  for (const [name, plan] of Object.entries(queryPlans))
    print(`\n${name}:\n${(await plan).map((row) => `  ${row['QUERY PLAN']}`).join('\n')}`)
}

const measureReport = async (url: string, token: string, query: string) => {
  const times: number[] = []
  for (let n = 0; n < requests; n++) {
    const before = performance.now()
    const response = await fetch(`${url}/v1/analytics/packs/${packId}${query}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await response.text()
    times.push(performance.now() - before)
    if (!response.ok) throw new Error(`the report returned ${response.status}`)
  }
  const sorted = times.sort((left, right) => left - right)
  const percentile = (fraction: number) => (sorted[Math.ceil(fraction * requests) - 1] ?? 0).toFixed(1)
  return `median ${percentile(0.5)} ms, p95 ${percentile(0.95)} ms, max ${percentile(1)} ms`
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
    `expected to be equal: counted from the events ${JSON.stringify(counted)}, from the daily roll-ups ${JSON.stringify(rolledUp)}`,
  )
}

const noLog = { info: () => {}, warn: () => {}, error: () => {} }

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
    const { issuer, databaseUrl } = bench
    const environment = createGatewayEnvironment({ databaseUrl, coreUrl: 'none', issuer })
    const settings = readSettings({ ...environment, RATE_LIMIT_ANALYTICS: 'off' })
    const gateway = await startGateway({ settings, log: noLog })
    bench.stopAtEnd({ stop: () => gateway.close(1000) })
    const token = await issuer.mintToken(owner)
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    print(`30 days:  ${await measureReport(gateway.url, token, '')}`)
    print(`366 days: ${await measureReport(gateway.url, token, `?from=${day(365)}&to=${day(0)}`)}`)
    await printTotals(sql)
    await printPlans(sql)
  } finally {
    await sql.end()
    await bench.end()
  }
}

await run()
