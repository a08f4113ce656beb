// node bench/measure-long-lists.ts [RECORDS] [CLIENTS]
import { request } from 'node:http'
import postgres from 'postgres'
import { startGateway } from '#gateway/node/start-gateway.ts'
import { readSettings } from '#gateway/settings/settings.ts'
import { createGatewayEnvironment } from './gateway-process.ts'
import { measureLongestTask, readCpuMs } from './longest-task.ts'
import { openBench } from './open-bench.ts'

const owner = 'acct_bench'
const trackId = 'track_bench'
const recordCount = Number(process.argv[2] ?? 50_000)
const clientCount = Number(process.argv[3] ?? 5)
const rounds = 10

const print = (line: string) => process.stdout.write(`${line}\n`)

const readList = (url: string, token: string) =>
  new Promise<void>((resolve, reject) => {
    const path = `${url}/v1/tracks/${trackId}/share-links`
    const sent = request(path, { headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume()
      response.on('end', resolve)
    })
    sent.on('error', reject)
    sent.end()
  })

const measure = async (clients: number, read: () => Promise<void>) => {
  const cpu: number[] = []
  const tasks: number[] = []
  for (let round = 0; round < rounds; round++) {
    const before = readCpuMs()
    tasks.push(await measureLongestTask(() => Promise.all(Array.from({ length: clients }, read))))
    cpu.push(readCpuMs() - before)
  }
  const median = (values: number[]) => (values.sort((a, b) => a - b)[rounds / 2] ?? 0).toFixed(0)
  print(
    `| ${recordCount} | ${clients} | ${median(cpu)} | ${median(tasks)} | ${(tasks.at(-1) ?? 0).toFixed(0)} |`,
  )
}

const noLog = { info: () => {}, warn: () => {}, error: () => {}, infoRequest: () => {} }

const run = async () => {
  const bench = await openBench()
  const stop = () => bench.end().finally(() => process.exit(1))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const sql = postgres(bench.databaseUrl, { max: 1, onnotice: () => {} })
  try {
    await sql`insert into tracks (id, owner_id, title, artist) values (${trackId}, ${owner}, 'Bench', 'Bench')`
    await sql`
      insert into track_share_links (id, track_id, name, token_hash, token_preview, revoked_at, created_at)
      select gen_random_uuid(), ${trackId}, 'Link ' || n, md5(n::text) || md5(n::text), 'abcd', now(),
        now() - n * interval '1 second'
      from generate_series(1, ${recordCount}::int) n`
    await sql`analyze`
    const { issuer, databaseUrl } = bench
    const settings = readSettings(createGatewayEnvironment({ databaseUrl, coreUrl: 'none', issuer }))
    const gateway = await startGateway({ settings, log: noLog })
    bench.stopAtEnd({ stop: () => gateway.close(1000) })
    const token = await issuer.mintToken(owner)
    const read = () => readList(gateway.url, token)
    print('| records | clients | CPU ms | longest task ms, median | longest task ms, maximum |')
    print('| ---: | ---: | ---: | ---: | ---: |')
    await measure(1, read)
    await measure(clientCount, read)
  } finally {
    await sql.end()
    await bench.end()
  }
}

await run()
