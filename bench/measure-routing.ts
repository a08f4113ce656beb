import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startGatewayProcess } from './gateway-process.ts'
import { measureRequests, type RequestSample, warmUpSeconds } from './measure.ts'
import { currentGateway, measureInterleaved, type Peer } from './measure-interleaved.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { startProcess } from './start-process.ts'
import { intervalOfMedian, median as middleOf, pairedRatios } from './statistics.ts'
import { requestTable, table } from './tables.ts'

const accountId = 'acct_bench'
const nativePath = '/v1/libraries'
const forwardedPath = '/v1/libraries/small'
const wanted = 0.98

type States = Readonly<Record<string, string>>

// The states of the measured route by contestant. One side serves the account of the benchmark in all of them.
const nativeStates: States = {
  [currentGateway]: '',
  steady: '*=native',
  split: 'libraries.list=canary:9999',
}
const forwardedStates: States = {
  [currentGateway]: 'libraries.detail=proxy',
  steady: '*=proxy',
  split: 'libraries.detail=canary:1',
}

const startContestants = async (bench: Bench, coreUrl: string, states: States) => {
  const { databaseUrl, issuer, stopAtEnd } = bench
  const started: Peer[] = []
  for (const [name, state] of Object.entries(states)) {
    // Each has its own log file.
    const folder = join(bench.folder, crypto.randomUUID())
    await mkdir(folder)
    const environment = { GATEWAY_ROUTES: state }
    const gateway = await startGatewayProcess({ folder, databaseUrl, issuer, coreUrl, environment })
    started.push({ name, ...stopAtEnd(gateway) })
  }
  return started
}

const requireRuntime = async (
  { name, url }: Peer,
  path: string,
  headers: Record<string, string>,
  runtime: string,
) => {
  const served = await fetch(url + path, { headers })
  await served.arrayBuffer()
  const actual = served.headers.get('x-service-core-runtime')
  if (actual !== runtime) throw new Error(`${name} served ${path} as ${actual} instead of ${runtime}`)
}

const ratioTable = (samples: ReadonlyMap<string, readonly RequestSample[]>) => {
  const ratesOf = (name: string) => (samples.get(name) ?? []).map(({ perCpuSecond }) => perCpuSecond)
  return table(
    ['ratio to off', 'wanted', 'median', '95 % interval'],
    ['steady', 'split'].map((name) => {
      const ratios = pairedRatios(ratesOf(name), ratesOf(currentGateway))
      const [low, high] = intervalOfMedian(ratios)
      return [
        name,
        `at least ${wanted}`,
        middleOf(ratios).toFixed(3),
        `${low.toFixed(3)} to ${high.toFixed(3)}`,
      ]
    }),
  )
}

/**
 * Measures what the routing state costs a native read and a forwarded one: off (crossfade: the route has its own state or
 * none), steady (by a state of all routes) and split (the side depends on the account). Resolves to the tables.
 */
export const measureRouting = async (bench: Bench, { rounds, seconds }: BenchOptions): Promise<string> => {
  const upstream = bench.stopAtEnd(
    await startProcess({
      command: process.execPath,
      arguments: [join(import.meta.dirname, 'upstream.ts')],
    }),
  )
  const headers = { Authorization: `Bearer ${await bench.issuer.mintToken(accountId)}` }
  const measureRoute = async (path: string, runtime: string, states: States) => {
    const contestants = await startContestants(bench, upstream.url, states)
    for (const contestant of contestants) {
      await requireRuntime(contestant, path, headers, runtime)
      await measureRequests(contestant, { path, headers, connections: 32, seconds: warmUpSeconds })
    }
    const samples = await measureInterleaved(contestants, rounds, (contestant) =>
      measureRequests(contestant, { path, headers, connections: 32, seconds }),
    )
    return [
      `${runtime === 'native' ? 'A native' : 'A forwarded'} GET, 32 connections, ${rounds} rounds of ${seconds} s:`,
      requestTable(samples),
      ratioTable(samples),
    ].join('\n\n')
  }
  const native = await measureRoute(nativePath, 'native', nativeStates)
  return `${native}\n\n${await measureRoute(forwardedPath, 'proxy', forwardedStates)}`
}
