import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { startGatewayProcess } from './gateway-process.ts'
import type { Bench } from './open-bench.ts'
import { openShareLinkFixtures } from './share-link-fixtures.ts'
import { median } from './statistics.ts'
import { table, targetTable } from './tables.ts'

const samples = 10_000
// The same number of each kind, so that all are equally likely to be cached.
const tokensPerKind = 250
const warmUpRounds = 2000
const yesterday = new Date(Date.now() - 86_400_000)

type Kinds = Readonly<Record<string, readonly string[]>>
interface Page {
  readonly path: string
  readonly kinds: Kinds
}

const createMany = async (make: () => Promise<string>) => {
  const tokens: string[] = []
  while (tokens.length < tokensPerKind) tokens.push(await make())
  return tokens
}

const closedLinks = async (databaseUrl: string): Promise<Page[]> => {
  const fixtures = openShareLinkFixtures(databaseUrl)
  const token = async () => randomBytes(32).toString('base64url')
  const slug = async () => randomBytes(16).toString('hex')
  const createLinks = async (
    table: 'track_share_links' | 'split_sheet_links',
    other: 'track_share_links' | 'split_sheet_links',
  ) => ({
    unknown: await createMany(token),
    revoked: await createMany(() => fixtures.insertLink(table, { revokedAt: yesterday })),
    expired: await createMany(() => fixtures.insertLink(table, { expiresAt: yesterday })),
    foreign: await createMany(() => fixtures.insertLink(other)),
  })
  try {
    await fixtures.insertPack()
    const pages = [
      { path: '/v1/public/track-links/', kinds: await createLinks('track_share_links', 'split_sheet_links') },
      {
        path: '/v1/public/split-sheets/',
        kinds: await createLinks('split_sheet_links', 'track_share_links'),
      },
      {
        path: '/v1/public/pack-links/',
        kinds: {
          unknown: await createMany(slug),
          revoked: await createMany(() => fixtures.insertPackLink({ revokedAt: yesterday })),
          expired: await createMany(() => fixtures.insertPackLink({ expiresAt: yesterday })),
        },
      },
    ]
    await fixtures.analyze()
    return pages
  } finally {
    await fixtures.close()
  }
}

const shuffled = <T>(items: readonly T[]) =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ item }) => item)

/** Sends requests over one connection, one after the other; resolves to the response time in microseconds. */
const createTimer = (url: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const timed = (path: string) =>
    new Promise<number>((resolve, reject) => {
      const before = performance.now()
      const sent = request(url + path, { agent }, (response) => {
        response.resume()
        response.once('end', () => {
          if (response.statusCode === 404) resolve((performance.now() - before) * 1000)
          else reject(new Error(`${path} returned ${response.statusCode}`))
        })
      })
      sent.once('error', reject)
      sent.end()
    })
  return { timed, close: () => agent.destroy() }
}

// Every round requests each kind once, in random order.
const measureTimes = async (url: string, { path, kinds }: Page) => {
  const timer = createTimer(url)
  const names = Object.keys(kinds)
  const times = new Map<string, number[]>(names.map((name) => [name, []]))
  for (let round = -warmUpRounds; round < samples; round++) {
    for (const name of shuffled(names)) {
      const token = kinds[name]?.at(round % tokensPerKind) ?? ''
      const took = await timer.timed(path + token)
      if (round >= 0) times.get(name)?.push(took)
    }
  }
  timer.close()
  return times
}

const percentile = (values: readonly number[], part: number) =>
  values.toSorted((left, right) => left - right)[Math.ceil(part * values.length) - 1] ?? 0

const formatReport = ({ path }: Page, times: ReadonlyMap<string, readonly number[]>) => {
  const baseline = median(times.get('unknown') ?? [])
  const ratios = [...times.values()].map((taken) => median(taken) / baseline)
  const measured = Math.min(...ratios.map((ratio) => Math.min(ratio, 1 / ratio)))
  return [
    `GET ${path}..., ${samples.toLocaleString('en-US')} interleaved requests of each kind:`,
    table(
      ['', 'median µs', 'to unknown', '10 % µs', '90 % µs'],
      [...times].map(([name, taken]) => [
        name,
        median(taken).toFixed(1),
        (median(taken) / baseline).toFixed(4),
        percentile(taken, 0.1).toFixed(1),
        percentile(taken, 0.9).toFixed(1),
      ]),
    ),
    targetTable([
      { what: 'largest deviation from the median of unknown, smaller to larger', measured, atLeast: 0.95 },
    ]),
  ].join('\n\n')
}

/** Measures whether response times reveal why a link does not open. Resolves to the tables. */
export const measureTokenTiming = async (bench: Bench): Promise<string> => {
  const { folder, databaseUrl, issuer, stopAtEnd } = bench
  const pages = await closedLinks(databaseUrl)
  const environment = { RATE_LIMIT_PUBLIC_READS: '999999999/60' }
  const crossfade = stopAtEnd(
    await startGatewayProcess({ folder, databaseUrl, issuer, coreUrl: 'none', environment }),
  )
  const reports: string[] = []
  for (const page of pages) reports.push(formatReport(page, await measureTimes(crossfade.url, page)))
  return reports.join('\n\n')
}
