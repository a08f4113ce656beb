import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { countConnections } from './count-connections.ts'
import { startGatewayProcess } from './gateway-process.ts'
import { load } from './load.ts'
import { useAllCpus } from './machine.ts'
import { measureRequests, type RequestSample, warmUpSeconds } from './measure.ts'
import { currentGateway, measureInterleaved, type Peer } from './measure-interleaved.ts'
import { accountId, createLibrary } from './measure-native.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { listChildren } from './process-usage.ts'
import { startProcess } from './start-process.ts'
import { type BenchTarget, ratioTo, requestTable, targetTable } from './tables.ts'
import { smallPath } from './upstream-responses.ts'

const one = 'one process'
// What two processes cost where only the machine is shared, each with a whole pool of database connections.
const separate = 'two gateways'
// With 64, each of two processes has few requests in an iteration of its event loop.
const connectionCounts = [64, 256]
// Processes under load receive several hundred connections in a second or more.
const distributionSeconds = 12
const countIntervalMs = 250
const closeTimeoutMs = 30_000
// Two processes share its requests.
const processesWarmUpSeconds = 2 * warmUpSeconds

const startGateways = async (
  { folder, databaseUrl, issuer, stopAtEnd }: Bench,
  profileFolder: string | undefined,
) => {
  const upstream = stopAtEnd(
    await startProcess({ command: process.execPath, arguments: [join(import.meta.dirname, 'upstream.ts')] }),
  )
  const options = { databaseUrl, issuer, coreUrl: upstream.url, profileFolder }
  const start = async (name: string, processes: string): Promise<Peer> => {
    const environment = { PROCESSES: processes }
    const logName = `${name.replaceAll(' ', '-')}.log`
    return {
      name,
      ...stopAtEnd(await startGatewayProcess({ ...options, folder, logName, environment, cpu: null })),
    }
  }
  return {
    single: await start(one, '1'),
    several: await start(currentGateway, '2'),
    pair: [await start(separate, '1'), await start(`${separate}-2`, '1')],
  } as const
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** What several gateways did at the same time; the latencies are those of the slowest. */
const combine = (samples: readonly RequestSample[]): RequestSample => {
  const requests = sum(samples.map((sample) => sample.requests))
  const cpuSeconds = sum(samples.map((sample) => sample.cpuSeconds))
  return {
    requests,
    cpuSeconds,
    perCpuSecond: requests / cpuSeconds,
    perOwnCpuSecond: requests / sum(samples.map((sample) => sample.requests / sample.perOwnCpuSecond)),
    p50Ms: Math.max(...samples.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...samples.map(({ p99Ms }) => p99Ms)),
    errors: sum(samples.map(({ errors }) => errors)),
    peakMb: sum(samples.map(({ peakMb }) => peakMb)),
  }
}

interface Request {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** Resolves when the connections of the round before are closed: new ones go to the process that has fewer of them. */
const waitUntilClosed = async (port: number, pids: readonly number[]) => {
  const endsAt = performance.now() + closeTimeoutMs
  while (sum(await countConnections(port, pids)) > 0) {
    if (performance.now() > endsAt) throw new Error('connections of the round before are still open')
    await sleep(countIntervalMs)
  }
  // Until the processes have told the supervisor.
  await sleep(1000)
}

/** Counts the connections of each process once all have been passed to one, or after `timeoutMs`. */
const countWhenPassed = async (
  port: number,
  pids: readonly number[],
  connections: number,
  timeoutMs: number,
) => {
  const endsAt = performance.now() + timeoutMs
  for (;;) {
    const counts = await countConnections(port, pids)
    if (sum(counts) >= connections || performance.now() > endsAt) return counts
    await sleep(countIntervalMs)
  }
}

/** The least share of the connections that a process has, in percent, in each round. */
const measureShares = async (peer: Peer, request: Request, connections: number, rounds: number) => {
  const pids = await listChildren(peer.pid)
  const { port } = new URL(peer.url)
  const shares: number[] = []
  for (let round = 0; round < rounds; round++) {
    await waitUntilClosed(Number(port), pids)
    const sent = load({
      url: peer.url + request.path,
      headers: request.headers,
      connections,
      seconds: distributionSeconds,
    })
    const counts = await countWhenPassed(Number(port), pids, connections, distributionSeconds * 900)
    await sent
    shares.push((100 * Math.min(...counts)) / connections)
  }
  return shares
}

/**
 * Measures two processes beside one, and beside two gateways of one process each. Everything runs on all CPUs, also the
 * load, the upstream and PostgreSQL. The CPU time is that of all processes of a gateway with the supervisor.
 */
export const measureProcesses = async (bench: Bench, options: BenchOptions): Promise<string> => {
  const { rounds, seconds, profileFolder } = options
  useAllCpus()
  const library = await createLibrary(bench.databaseUrl)
  const headers = { Authorization: `Bearer ${await bench.issuer.mintToken(accountId)}` }
  const requests = {
    'forwarded GET of 1 KiB': { path: smallPath, headers },
    'native GET of a library': { path: `/v1/libraries/${library.id}`, headers },
  }
  const { single, several, pair } = await startGateways(bench, profileFolder)
  const contestants = [single, several, pair[0]]
  const measureAt = async (contestant: Peer, request: Request, total: number, seconds: number) => {
    const measure = (peer: Peer, connections: number) =>
      measureRequests(peer, { ...request, connections, seconds })
    if (contestant !== pair[0]) return measure(contestant, total)
    return combine(await Promise.all(pair.map((peer) => measure(peer, total / pair.length))))
  }
  const tables: string[] = []
  const targets: BenchTarget[] = []
  for (const [name, request] of Object.entries(requests)) {
    for (const connections of connectionCounts) {
      for (const contestant of contestants)
        await measureAt(contestant, request, connections, processesWarmUpSeconds)
      const samples = await measureInterleaved(contestants, rounds, (contestant) =>
        measureAt(contestant, request, connections, seconds),
      )
      const what = `${name}, ${connections} connections`
      tables.push(`${what}, ${rounds} rounds of ${seconds} s:`, requestTable(samples))
      targets.push({ what: `${what}, ratio to ${one}`, measured: ratioTo(samples, one).median, atLeast: 0.9 })
    }
  }
  for (const connections of [32, 512]) {
    const shares = await measureShares(several, requests['forwarded GET of 1 KiB'], connections, rounds)
    const measured = Math.min(...shares)
    targets.push({ what: `least share of ${connections} connections, %`, measured, atLeast: 40 })
  }
  return [...tables, 'Targets:', targetTable(targets)].join('\n\n')
}
