import { join } from 'node:path'
import { baseline, checkOutBaseline } from './baseline.ts'
import { startGatewayProcess } from './gateway-process.ts'
import { measureRequests, type RequestSample, warmUpSeconds } from './measure.ts'
import { currentGateway, measureInterleaved, type Peer } from './measure-interleaved.ts'
import { accountId, createLibrary } from './measure-native.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { startProcess } from './start-process.ts'
import { intervalOfMedian, median, pairedRatios } from './statistics.ts'
import { requestTable, table } from './tables.ts'
import { smallPath } from './upstream-responses.ts'

const recording = 'recording all spans'
const tenth = 'recording a tenth'

interface MeasuredRequest {
  readonly name: string
  readonly path: string
  readonly runtime: 'native' | 'proxy'
}

const startServers = async (bench: Bench): Promise<Peer[]> => {
  const { folder, databaseUrl, issuer, stopAtEnd } = bench
  const startProgram = async (program: string) =>
    stopAtEnd(
      await startProcess({ command: process.execPath, arguments: [join(import.meta.dirname, program)] }),
    )
  const [core, collector] = [await startProgram('upstream.ts'), await startProgram('collector.ts')]
  const start = async (
    name: string,
    {
      environment = {},
      projectFolder,
    }: { environment?: Record<string, string>; projectFolder?: string } = {},
  ) => {
    const options = { folder, databaseUrl, issuer, coreUrl: core.url, environment }
    const gateway = await startGatewayProcess({ ...options, ...(projectFolder ? { projectFolder } : {}) })
    return { name, ...stopAtEnd(gateway) }
  }
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  return [
    await start(currentGateway),
    await start(baseline, { projectFolder: await checkOutBaseline(bench) }),
    await start(recording, { environment: traced }),
    await start(tenth, { environment: { ...traced, OTEL_TRACES_SAMPLER_ARG: '0.1' } }),
  ]
}

const requireRuntime = async ({ name, url }: Peer, { path, runtime }: MeasuredRequest, headers: Headers) => {
  const response = await fetch(url + path, { headers })
  await response.arrayBuffer()
  const actual = response.headers.get('x-service-core-runtime')
  if (response.status !== 200 || actual !== runtime)
    throw new Error(`${name} returned ${response.status} as ${actual} for ${path}`)
}

const ratioRow = (samples: ReadonlyMap<string, readonly RequestSample[]>, name: string, against: string) => {
  const [rates = [], others = []] = [name, against].map((of) =>
    (samples.get(of) ?? []).map(({ perOwnCpuSecond }) => perOwnCpuSecond),
  )
  const ratios = pairedRatios(rates, others)
  const [low, high] = intervalOfMedian(ratios)
  return [`${name} to ${against}`, median(ratios).toFixed(3), `${low.toFixed(3)} to ${high.toFixed(3)}`]
}

/** Measures what traces cost, off and on, for a forwarded and a native GET. Resolves to the tables. */
export const measureTraces = async (bench: Bench, { rounds, seconds }: BenchOptions): Promise<string> => {
  const library = await createLibrary(bench.databaseUrl)
  const authorization = { Authorization: `Bearer ${await bench.issuer.mintToken(accountId)}` }
  const contestants = await startServers(bench)
  const measured: readonly MeasuredRequest[] = [
    { name: 'a forwarded GET of 1 KiB', path: smallPath, runtime: 'proxy' },
    { name: 'a GET of a library by its id', path: `/v1/libraries/${library.id}`, runtime: 'native' },
  ]
  const parts: string[] = []
  for (const request of measured) {
    const load = { path: request.path, headers: authorization, connections: 32 }
    for (const contestant of contestants) {
      await requireRuntime(contestant, request, new Headers(authorization))
      await measureRequests(contestant, { ...load, seconds: warmUpSeconds })
    }
    const samples = await measureInterleaved(contestants, rounds, (contestant) =>
      measureRequests(contestant, { ...load, seconds }),
    )
    parts.push(
      `${request.name}, 32 connections, ${rounds} rounds of ${seconds} s:`,
      requestTable(samples),
      table(
        ['requests per CPU second', 'ratio', '95 % interval'],
        [
          ratioRow(samples, currentGateway, baseline),
          ratioRow(samples, recording, currentGateway),
          ratioRow(samples, tenth, currentGateway),
        ],
      ),
    )
  }
  return parts.join('\n\n')
}
