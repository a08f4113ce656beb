import { startGatewayProcess } from './gateway-process.ts'
import { type RateOptions, sendAtRate } from './latency/constant-rate.ts'
import { latencyTable, probeEnvironment, quantile, type Sample, takeSample } from './latency/sample.ts'
import { measuredCpu } from './machine.ts'
import { currentGateway, measureInterleaved, type Peer, warmUpSeconds } from './measure.ts'
import { createLibrary } from './measure-native.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { createBenchHeaders, startCheckedProxies, startUpstream } from './proxies.ts'
import { type StartedProcess, startProgram } from './start-process.ts'
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

interface Contestant extends Peer {
  readonly path: string
}

const targetsAt = (rate: number, samples: ReadonlyMap<string, readonly Sample[]>): BenchTarget[] => {
  const p99Of = (name: string) => (samples.get(name) ?? []).map(({ p99 }) => p99)
  const ratio = (name: string, to: string) => pairedRatio(p99Of(name), p99Of(to)).median
  const bounds = [
    [currentGateway, bareForwarder, 1.5],
    [currentGateway, '@fastify/http-proxy', 1],
    [native, bareForwarder, 2],
  ] as const
  const ratios = bounds.map(([name, to, atMost]) => ({
    what: `${rate} requests/s: ratio of the p99 of ${name} to that of ${to}`,
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

const measureStart = async (started: StartedProcess, headers: Readonly<Record<string, string>>) => {
  const { requests } = await sendAtRate({
    requestOf: () => [started.url + smallPath, headers],
    rate: 750,
    seconds: secondsAfterStart,
    connections,
  })
  await started.stop()
  const dueIn = (second: number) => requests.filter(({ dueMs }) => Math.floor(dueMs / 1000) === second)
  return Array.from({ length: secondsAfterStart }, (_, second) => quantile(dueIn(second), 0.99))
}

const measureStarts = async (bench: Bench, headers: Readonly<Record<string, string>>, rounds: number) => {
  const upstream = await startUpstream(bench, keepAliveS)
  const startForwarder = () =>
    startProgram('bare-forwarder.ts', { environment: { UPSTREAM: upstream.url }, cpu: measuredCpu })
  const startGateway = () => startGatewayProcess(bench, { coreUrl: upstream.url })
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

export const measureLatency = async (bench: Bench, options: BenchOptions): Promise<string> => {
  const { rounds, seconds } = options
  const headers = await createBenchHeaders(bench)
  const library = await createLibrary(bench.databaseUrl)
  const proxies = await startCheckedProxies(
    bench,
    { ...options, peers, keepAliveS, environment: probeEnvironment },
    headers,
  )
  const contestants: Contestant[] = proxies.map((peer) => ({ ...peer, path: smallPath }))
  const [gateway] = proxies
  if (gateway) contestants.push({ ...gateway, name: native, path: `/v1/libraries/${library.id}` })

  const loadOf = ({ url, path }: Contestant, rate: number, forSeconds: number): RateOptions => ({
    requestOf: () => [url + path, headers],
    rate,
    seconds: forSeconds,
    connections,
  })
  for (const contestant of contestants) await sendAtRate(loadOf(contestant, 1000, warmUpSeconds))

  const tables: string[] = []
  const targets: BenchTarget[] = []
  for (const rate of rates) {
    const samples = await measureInterleaved(contestants, rounds, (contestant) =>
      takeSample(contestant, loadOf(contestant, rate, seconds)),
    )
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
