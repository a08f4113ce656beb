import { join } from 'node:path'
import { baseline, checkOutBaseline } from './baseline.ts'
import { startGatewayProcess } from './gateway-process.ts'
import { loadGenerator } from './load.ts'
import { measuredCpu } from './machine.ts'
import { measureRequests, warmUpSeconds } from './measure.ts'
import { currentGateway, measureInterleaved, type Peer } from './measure-interleaved.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { openShareLinkFixtures } from './share-link-fixtures.ts'
import { startProcess } from './start-process.ts'
import { ratioTo, requestTable, targetTable } from './tables.ts'

const bare = 'bare Hono handler'
const bareOnGatewayPool = 'bare Hono handler, gateway pool'
const connections = 32

interface PageLoad {
  readonly what: string
  readonly path: string
  /** Unset: one, with a limit that is not reached. */
  readonly visitors?: number
  readonly environment: Readonly<Record<string, string>>
}

const pageLoads = async (databaseUrl: string): Promise<PageLoad[]> => {
  const links = openShareLinkFixtures(databaseUrl)
  try {
    await links.insertPack()
    // A link for each load, so that the limits of one do not affect the next.
    const trackLink = async () => `/v1/public/track-links/${await links.insertLink('track_share_links')}`
    const [single, crowded] = [await trackLink(), await trackLink()]
    const pack = `/v1/public/pack-links/${await links.insertPackLink()}`
    await links.analyze()
    const unlimited = { RATE_LIMIT_PUBLIC_READS: '999999999/60' }
    const behindProxy = { TRUSTED_PROXIES: '127.0.0.1' }
    const crowd = { what: 'share link by its token, ten thousand visitors', visitors: 10_000 }
    return [
      { what: 'share link by its token, one visitor', path: single, environment: unlimited },
      ...(loadGenerator === 'wrk' ? [{ ...crowd, path: crowded, environment: behindProxy }] : []),
      { what: 'pack link of three tracks by its slug, one visitor', path: pack, environment: unlimited },
    ]
  } finally {
    await links.close()
  }
}

const startServers = async (
  bench: Bench,
  { environment }: PageLoad,
  { profileFolder }: BenchOptions,
  baselineFolder: string,
): Promise<Peer[]> => {
  const { folder, databaseUrl, issuer, stopAtEnd } = bench
  const options = { folder, databaseUrl, issuer, coreUrl: 'none', environment }
  const startBare = (pool: string) =>
    startProcess({
      command: process.execPath,
      arguments: [join(import.meta.dirname, 'bare-share-pages.ts')],
      environment: { DATABASE_URL: databaseUrl, POOL: pool },
      cpu: measuredCpu,
    })
  return [
    { name: currentGateway, ...stopAtEnd(await startGatewayProcess({ ...options, profileFolder })) },
    {
      name: baseline,
      ...stopAtEnd(await startGatewayProcess({ ...options, projectFolder: baselineFolder })),
    },
    { name: bare, ...stopAtEnd(await startBare('the driver')) },
    { name: bareOnGatewayPool, ...stopAtEnd(await startBare('gateway')) },
  ]
}

const checkReads = async ({ name, url }: Peer, path: string) => {
  const { status } = await fetch(url + path)
  if (status !== 200) throw new Error(`${name} returned ${status}`)
}

const measurePage = async (bench: Bench, load: PageLoad, options: BenchOptions, baselineFolder: string) => {
  const { rounds, seconds } = options
  const request = { path: load.path, headers: {}, visitors: load.visitors, connections }
  // Restarted for each page, because the driver's own pool gets slower the longer it is busy.
  const contestants = await startServers(bench, load, options, baselineFolder)
  for (const contestant of contestants) {
    await checkReads(contestant, load.path)
    await measureRequests(contestant, { ...request, seconds: warmUpSeconds })
  }
  const reads = await measureInterleaved(contestants, rounds, (contestant) =>
    measureRequests(contestant, { ...request, seconds }),
  )
  await Promise.all(contestants.map(({ stop }) => stop()))
  const measured = ratioTo(reads, bare).median
  return [
    `GET of a ${load.what}, ${connections} connections, ${rounds} rounds of ${seconds} s:`,
    requestTable(reads),
    targetTable([{ what: `requests per CPU second, ratio to ${bare}`, measured, atLeast: 0.8 }]),
  ]
}

/** Measures share pages, with limits and events, beside bare handlers with the same queries. */
export const measurePublicReads = async (bench: Bench, options: BenchOptions): Promise<string> => {
  const tables: string[] = []
  const baselineFolder = await checkOutBaseline(bench)
  for (const load of await pageLoads(bench.databaseUrl))
    tables.push(...(await measurePage(bench, load, options, baselineFolder)))
  return tables.join('\n\n')
}
