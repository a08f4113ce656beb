import { startGatewayProcess } from './gateway-process.ts'
import { measureRequests, type RequestSample, warmUpSeconds } from './measure.ts'
import { currentGateway, measureInterleaved, type Peer } from './measure-interleaved.ts'
import { accountId, createLibrary } from './measure-native.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { requestTable } from './tables.ts'

const unprepared = 'crossfade with DATABASE_PREPARE=off'
// Fewer than the reads: all writes change the same row.
const loads = [
  { title: 'GET of a library by its id', connections: 32, patch: undefined },
  {
    title: 'PATCH of a library',
    connections: 4,
    patch: JSON.stringify({ name: 'Library of the benchmark' }),
  },
]

/** Measures a native read and a native write with named prepared statements and without. Resolves to the tables. */
export const measurePrepare = async (bench: Bench, { rounds, seconds }: BenchOptions): Promise<string> => {
  const { folder, databaseUrl, issuer, stopAtEnd } = bench
  const library = await createLibrary(databaseUrl)
  const start = async (name: string, DATABASE_PREPARE: string): Promise<Peer> => {
    const options = { folder, databaseUrl, issuer, coreUrl: 'none', environment: { DATABASE_PREPARE } }
    return { name, ...stopAtEnd(await startGatewayProcess(options)) }
  }
  const contestants = [await start(currentGateway, 'on'), await start(unprepared, 'off')]
  const headers = {
    Authorization: `Bearer ${await issuer.mintToken(accountId)}`,
    'Content-Type': 'application/json',
  }
  const path = `/v1/libraries/${library.id}`
  const tables: string[] = []
  for (const { title, ...load } of loads) {
    const measure = (contestant: Peer, duration: number): Promise<RequestSample> =>
      measureRequests(contestant, { path, headers, ...load, seconds: duration })
    for (const contestant of contestants) await measure(contestant, warmUpSeconds)
    const samples = await measureInterleaved(contestants, rounds, (contestant) =>
      measure(contestant, seconds),
    )
    tables.push(
      `${title}, ${load.connections} connections, ${rounds} rounds of ${seconds} s:`,
      requestTable(samples),
    )
  }
  return tables.join('\n\n')
}
