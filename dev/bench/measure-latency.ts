import { join } from 'node:path'
import { startGatewayProcess } from './gateway-process.ts'
import { type RateResult, sendAtRate, type TimedRequest } from './latency/constant-rate.ts'
import { measuredCpu } from './machine.ts'
import { warmUpSeconds } from './measure.ts'
import { currentGateway, measureInterleaved, type Peer } from './measure-interleaved.ts'
import { createLibrary } from './measure-native.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { createBenchHeaders, startCheckedProxies, startUpstream } from './proxies.ts'
import { type StartedProcess, startProcess } from './start-process.ts'
import { median, pairedRatio } from './statistics.ts'
import { type BenchTarget, table, targetTable } from './tables.ts'
import { smallPath } from './upstream-responses.ts'

const rates = [250, 500, 1000, 1500, 2000] as const
const connections = 64
/** The default of Node's servers, and so the most likely value for a core. */
const keepAliveS = 5
const native = `${currentGateway}, native`
const bareForwarder = 'bare node:http + undici'
const peers = [bareForwarder, '@fastify/http-proxy', 'http-proxy-middleware'] as const
const environment = { NODE_OPTIONS: `--import ${join(import.meta.dirname, 'latency/loop-probe.mjs')}` }

interface Contestant extends Peer {
  readonly path: string
}

/** What `latency/loop-probe.mjs` answers. */
interface Loop {
  readonly delayP999Ms: number
  readonly longestDelayMs: number
  readonly longCollections: number
  readonly memoryMb: number
}

interface Sample extends Loop {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly p999: number
  readonly errors: number
}

// The cast is safe: our own probe always answers `read` with a `Loop`.
const readLoop = async ({ ask }: Peer) => (await ask('read')) as Loop

const quantile = (requests: readonly TimedRequest[], share: number) => {
  const sorted = requests.map(({ latencyMs }) => latencyMs).toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const quantilesOf = ({ requests, errors }: RateResult) => ({
  p50: quantile(requests, 0.5),
  p90: quantile(requests, 0.9),
  p99: quantile(requests, 0.99),
  p999: quantile(requests, 0.999),
  errors,
})

const format = (values: readonly number[], digits = 1) =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`

const latencyTable = (samples: ReadonlyMap<string, readonly Sample[]>) =>
  table(
    [
      '',
      'p50 ms',
      'p90 ms',
      'p99 ms',
      'p99.9 ms',
      'loop delay p99.9 ms',
      'longest ms',
      'collections over 5 ms',
      'MB',
      'errors',
    ],
    [...samples].map(([name, taken]) => [
      name,
      format(
        taken.map(({ p50 }) => p50),
        2,
      ),
      format(taken.map(({ p90 }) => p90)),
      format(taken.map(({ p99 }) => p99)),
      format(taken.map(({ p999 }) => p999)),
      median(taken.map(({ delayP999Ms }) => delayP999Ms)).toFixed(1),
      Math.max(...taken.map(({ longestDelayMs }) => longestDelayMs)).toFixed(1),
      String(taken.reduce((sum, { longCollections }) => sum + longCollections, 0)),
      Math.max(...taken.map(({ memoryMb }) => memoryMb)).toFixed(0),
      String(taken.reduce((sum, { errors }) => sum + errors, 0)),
    ]),
  )

const targetsAt = (rate: number, samples: ReadonlyMap<string, readonly Sample[]>): BenchTarget[] => {
  const p99Of = (name: string) => (samples.get(name) ?? []).map(({ p99 }) => p99)
  const ratio = (name: string, to: string) => pairedRatio(p99Of(name), p99Of(to)).median
  const bounds = [
    [currentGateway, bareForwarder, 1.5],
    [currentGateway, '@fastify/http-proxy', 1],
    [native, bareForwarder, 2],
  ] as const
  const ratios = bounds.map(([name, to, atMost]) => ({
    what: `${rate} requests/s: p99 of ${name} to that of ${to}`,
    measured: ratio(name, to),
    atMost,
  }))
  const delays = (samples.get(currentGateway) ?? []).map(({ delayP999Ms }) => delayP999Ms)
  const delay = {
    what: `${rate} requests/s: p99.9 of the loop delay, in ms`,
    measured: median(delays),
    atMost: 25,
  }
  return [...ratios, delay]
}

const secondsAfterStart = 30

/** Measures the p99 of each second after a start, counted from when the process is ready. */
const measureStart = async (started: StartedProcess, headers: Readonly<Record<string, string>>) => {
  const load = { headers, rate: 750, seconds: secondsAfterStart, connections }
  const { requests } = await sendAtRate({ url: started.url + smallPath, ...load })
  await started.stop()
  const dueIn = (second: number) => requests.filter(({ dueMs }) => Math.floor(dueMs / 1000) === second)
  return Array.from({ length: secondsAfterStart }, (_, second) => quantile(dueIn(second), 0.99))
}

const measureStarts = async (bench: Bench, headers: Readonly<Record<string, string>>, rounds: number) => {
  const { folder, databaseUrl, issuer } = bench
  const upstream = await startUpstream(bench, keepAliveS)
  const startForwarder = () =>
    startProcess({
      command: process.execPath,
      arguments: [join(import.meta.dirname, 'bare-forwarder.ts')],
      environment: { UPSTREAM: upstream.url },
      cpu: measuredCpu,
    })
  const startGateway = () => startGatewayProcess({ folder, databaseUrl, issuer, coreUrl: upstream.url })
  const contestants = [
    { name: currentGateway, start: startGateway },
    { name: bareForwarder, start: startForwarder },
  ]
  return measureInterleaved(contestants, rounds, async ({ start }) => measureStart(await start(), headers))
}

const startTable = (seriesOf: ReadonlyMap<string, readonly (readonly number[])[]>) => {
  const seconds = [0, 1, 2, 3, 4, 5, 9, 14, 19, 29]
  return table(
    ['p99 in ms of second', ...seconds.map((second) => String(second + 1))],
    [...seriesOf].map(([name, series]) => [
      name,
      ...seconds.map((second) => median(series.map((each) => each[second] ?? Number.NaN)).toFixed(1)),
    ]),
  )
}

/** Measures latencies at constant rates, next to other gateways, and after a start. Resolves to the tables. */
export const measureLatency = async (bench: Bench, options: BenchOptions): Promise<string> => {
  const { rounds, seconds } = options
  const headers = await createBenchHeaders(bench)
  const library = await createLibrary(bench.databaseUrl)
  const proxies = await startCheckedProxies(bench, { ...options, peers, keepAliveS, environment }, headers)
  const contestants: Contestant[] = proxies.map((peer) => ({ ...peer, path: smallPath }))
  const [gateway] = proxies
  if (gateway) contestants.push({ ...gateway, name: native, path: `/v1/libraries/${library.id}` })

  const send = ({ url, path }: Contestant, rate: number, forSeconds: number) =>
    sendAtRate({ url: url + path, headers, rate, seconds: forSeconds, connections })
  for (const contestant of contestants) await send(contestant, 1000, warmUpSeconds)

  const tables: string[] = []
  const targets: BenchTarget[] = []
  for (const rate of rates) {
    const samples = await measureInterleaved(contestants, rounds, async (contestant): Promise<Sample> => {
      await readLoop(contestant)
      const latencies = quantilesOf(await send(contestant, rate, seconds))
      return { ...latencies, ...(await readLoop(contestant)) }
    })
    tables.push(
      `${rate} requests/s, ${connections} connections, ${rounds} rounds of ${seconds} s each; median (lowest to highest) of the rounds:`,
      latencyTable(samples),
    )
    if (rate === 500 || rate === 1500) targets.push(...targetsAt(rate, samples))
  }
  const starts = await measureStarts(bench, headers, Math.ceil(rounds / 4))
  const worstSecond = Math.max(...(starts.get(currentGateway) ?? []).flat())
  targets.push({ what: 'p99 of the worst second after a start, in ms', measured: worstSecond, atMost: 50 })
  const startTitle = `The first ${secondsAfterStart} s after a start, forwarded, 750 requests/s:`
  return [...tables, startTitle, startTable(starts), 'Targets:', targetTable(targets)].join('\n\n')
}
