import { openDatabase } from '#db/client/connection.ts'
import { insertLibrary } from '#db/queries/libraries/libraries.ts'
import { measuredCpu } from './machine.ts'
import { measureInterleaved, measureRequests, type Peer, warmUpSeconds } from './measure.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { checkServed, startGateways } from './proxies.ts'
import { startProgram } from './start-process.ts'
import { ratioTo, requestTable, targetTable } from './tables.ts'

export const accountId = 'acct_bench'
const bare = 'bare Hono handler'
const bareWithPool = "bare Hono handler on the gateway's pool"

export const createLibrary = async (databaseUrl: string) => {
  const database = openDatabase(databaseUrl)
  try {
    const library = await insertLibrary(database.db, { ownerId: accountId, name: 'Library of the benchmark' })
    if (!library) throw new Error("the benchmark's database is not empty")
    return library
  } finally {
    await database.close()
  }
}

const startServers = async (bench: Bench, { profileFolder }: BenchOptions): Promise<Peer[]> => {
  const { databaseUrl, stopAtEnd } = bench
  const gateways = await startGateways(bench, { profileFolder })
  const startHono = async (pool: 'driver' | 'gateway') =>
    stopAtEnd(
      await startProgram('bare-hono.ts', {
        environment: { DATABASE_URL: databaseUrl, ACCOUNT_ID: accountId, POOL: pool },
        cpu: measuredCpu,
      }),
    )
  return [
    ...gateways,
    { name: bare, ...(await startHono('driver')) },
    { name: bareWithPool, ...(await startHono('gateway')) },
  ]
}

export const measureNative = async (bench: Bench, options: BenchOptions): Promise<string> => {
  const { rounds, seconds } = options
  const library = await createLibrary(bench.databaseUrl)
  const headers = { Authorization: `Bearer ${await bench.issuer.mintToken(accountId)}` }
  const path = `/v1/libraries/${library.id}`
  const contestants = await startServers(bench, options)
  for (const contestant of contestants) {
    await checkServed(contestant, path, headers, 'native')
    await measureRequests(contestant, { path, headers, connections: 32, seconds: warmUpSeconds })
  }
  const reads = await measureInterleaved(contestants, rounds, (contestant) =>
    measureRequests(contestant, { path, headers, connections: 32, seconds }),
  )
  return [
    `GET of a library by its id, 32 connections, ${rounds} rounds of ${seconds} s:`,
    requestTable(reads),
    'Targets:',
    targetTable([
      {
        what: `requests per CPU second, ratio to ${bare}`,
        measured: ratioTo(reads, bare).median,
        atLeast: 0.8,
      },
      {
        what: `requests per CPU second, ratio to ${bareWithPool}`,
        measured: ratioTo(reads, bareWithPool).median,
        atLeast: 0.75,
      },
    ]),
  ].join('\n\n')
}
