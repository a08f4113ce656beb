import { join } from 'node:path'
import { type Contestant, interleaved, ours } from './contest.ts'
import { startCrossfade } from './crossfade.ts'
import { measuredCore } from './machine.ts'
import { measureRequests } from './measure.ts'
import { openSharedThings } from './shared-things.ts'
import { startProcess } from './start-process.ts'
import type { Bench, BenchOptions } from './surroundings.ts'
import { ratioTo, requestTable, targetTable } from './tables.ts'

const bare = 'bare Hono handler'
const connections = 32
const warmUpSeconds = 2

const shareThings = async (databaseUrl: string) => {
  const things = openSharedThings(databaseUrl)
  try {
    await things.insertPack()
    const paths = {
      'share link by its token': `/v1/public/track-links/${await things.insertLink('track_share_links')}`,
      'pack link of three tracks by its slug': `/v1/public/pack-links/${await things.insertPackLink()}`,
    }
    await things.settle()
    return Object.entries(paths)
  } finally {
    await things.close()
  }
}

const startServers = async (bench: Bench, { profileFolder }: BenchOptions): Promise<Contestant[]> => {
  const { folder, databaseUrl, issuer, keep } = bench
  // One visitor asks as often as can be: every read is counted and none refused.
  const environment = { RATE_LIMIT_PUBLIC_READS: '999999999/60' }
  const crossfade = await startCrossfade({
    folder,
    databaseUrl,
    issuer,
    coreUrl: 'none',
    profileFolder,
    environment,
  })
  keep(crossfade)
  const hono = await startProcess({
    command: process.execPath,
    arguments: [join(import.meta.dirname, 'bare-share-pages.ts')],
    environment: { DATABASE_URL: databaseUrl },
    core: measuredCore,
  })
  keep(hono)
  return [
    { name: ours, ...crossfade },
    { name: bare, ...hono },
  ]
}

const checkReads = async ({ name, url }: Contestant, path: string) => {
  const { status } = await fetch(url + path)
  if (status !== 200) throw new Error(`${name} answers ${status}`)
}

/** Measures share pages, counted and recorded, beside bare handlers that make the same queries. */
export const measurePublicReads = async (bench: Bench, options: BenchOptions): Promise<string> => {
  const { rounds, seconds } = options
  const pages = await shareThings(bench.databaseUrl)
  const contestants = await startServers(bench, options)
  const tables: string[] = []
  for (const [what, path] of pages) {
    for (const contestant of contestants) {
      await checkReads(contestant, path)
      await measureRequests(contestant, { path, headers: {}, connections, seconds: warmUpSeconds })
    }
    const reads = await interleaved(contestants, rounds, (contestant) =>
      measureRequests(contestant, { path, headers: {}, connections, seconds }),
    )
    const measured = ratioTo(reads, bare).median
    tables.push(
      `GET of a ${what}, ${connections} connections, ${rounds} rounds of ${seconds} s:`,
      requestTable(reads),
      targetTable([{ what: `requests per CPU second, ours to a ${bare}`, measured, atLeast: 0.8 }]),
    )
  }
  return tables.join('\n\n')
}
