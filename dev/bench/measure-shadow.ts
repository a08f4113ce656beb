import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Label } from '#contracts/route-table.ts'
import { isLabel } from '#contracts/shared/row.ts'
import { closeServer, listenOnLoopback } from '../sandbox/listen.ts'
import { createGatewayEnvironment } from './gateway-process.ts'
import { type RateOptions, sendAtRate } from './latency/constant-rate.ts'
import { quantile } from './latency/sample.ts'
import { measuredCpu } from './machine.ts'
import { measureInterleaved } from './measure.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { openRoutingStates } from './routing-states.ts'
import { startProgram } from './start-process.ts'
import { intervalOfMedian, median } from './statistics.ts'
import { table } from './tables.ts'

const faults = ['none', 'throws', 'hangs', 'loops', 'leaks'] as const
const stages = [
  { name: 'without', stage: 'proxy' },
  { name: 'with', stage: 'shadow' },
] as const
const perSecond = 200
const childEndMs = 2500
const instances = 5
const asked: Readonly<Partial<Record<Label, string>>> = {
  'tracks.list': '/v1/tracks',
  'packs.list': '/v1/packs',
  'libraries.list': '/v1/libraries',
  'libraries.shared-with-me': '/v1/libraries/shared-with-me',
  'billing.status': '/v1/billing/status',
}

const startSlowCore = async (initialDelayMs: number) => {
  let delayMs = initialDelayMs
  const askedAt: number[] = []
  const body = JSON.stringify({ records: [], nextCursor: null })
  const server = createServer((request, response) => {
    if (request.headers['x-service-shadow'] === '1') askedAt.push(performance.now())
    setTimeout(() => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
    }, delayMs)
  })
  return {
    url: await listenOnLoopback(server, 0),
    askedAt: (): readonly number[] => askedAt,
    setDelay(ms: number) {
      delayMs = ms
    },
    stop: () => closeServer(server),
  }
}

/** `times` must be in ascending order. */
const countInBusiestSecond = (times: readonly number[]) => {
  let most = 0
  let first = 0
  for (let last = 0; last < times.length; last += 1) {
    while ((times[last] ?? 0) - (times[first] ?? 0) >= 1000) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}

interface ShadowGateway {
  readonly coreUrl: string
  /** Which fault the compared `packs.list` handler has. If unset, the native handlers are compared. */
  readonly fault?: string
  /** The percentage of native responses for which the gateway also asks the core. */
  readonly askedPercent?: number
  readonly cpu?: number
}

const startShadowGateway = async (
  { databaseUrl, issuer, folder }: Bench,
  { coreUrl, fault, askedPercent, cpu }: ShadowGateway,
) => {
  const logs = join(folder, crypto.randomUUID())
  await mkdir(logs)
  return startProgram('shadow/gateway.ts', {
    environment: {
      ...createGatewayEnvironment({ databaseUrl, coreUrl, issuer }),
      ...(fault === undefined ? {} : { BENCH_FAULT: fault }),
      ...(askedPercent === undefined ? {} : { BENCH_ASKED_PERCENT: String(askedPercent) }),
    },
    ...(cpu === undefined ? {} : { cpu }),
    outputFile: join(logs, 'gateway.log'),
  })
}

const mintTokens = (bench: Bench, count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => bench.issuer.mintToken(`acct_${index}`)))

const loadOf = (urls: readonly string[], tokens: readonly string[], seconds: number): RateOptions => ({
  requestOf: (index) => [
    urls[index % urls.length] ?? '',
    { authorization: `Bearer ${tokens[index % tokens.length]}` },
  ],
  rate: perSecond,
  seconds,
  connections: 64,
})

/**
 * Measures how much comparing a faulty native handler slows users down: in each round, the p99 with shadow comparisons
 * minus the p99 without.
 */
const measureUsers = async (bench: Bench, { rounds, seconds }: BenchOptions) => {
  const core = bench.stopAtEnd(await startSlowCore(5))
  const tokens = await mintTokens(bench, 50)
  const states = openRoutingStates(bench)
  const rows: string[][] = []
  for (const fault of faults) {
    await states.forgetInstances()
    const gateway = await startShadowGateway(bench, { coreUrl: core.url, fault, cpu: measuredCpu })
    const measure = async (stage: 'proxy' | 'shadow') => {
      await states.store('packs.list', { stage, weightBp: 0 })
      // A comparison process that hangs is killed after two seconds. Until then, it would slow down the measurement
      // without comparisons.
      if (stage === 'proxy') await sleep(childEndMs)
      const { requests, errors } = await sendAtRate(loadOf([`${gateway.url}/v1/packs`], tokens, seconds))
      if (errors > 0) throw new Error(`${errors} requests failed`)
      return quantile(requests, 0.99)
    }
    const measureAll = async () => {
      await measure('shadow')
      return measureInterleaved(stages, rounds, ({ stage }) => measure(stage))
    }
    const p99s = await measureAll().finally(gateway.stop)
    const without = p99s.get('without') ?? []
    const differences = (p99s.get('with') ?? []).map((p99, round) => p99 - (without[round] ?? Number.NaN))
    const [low, high] = intervalOfMedian(differences)
    rows.push([
      fault,
      median(without).toFixed(2),
      median(differences).toFixed(2),
      `${low.toFixed(2)} to ${high.toFixed(2)}`,
      String(await states.countComparisons()),
    ])
  }
  return table(
    ['the compared handler', 'p99 without, ms', 'difference, ms', '95 % interval', 'comparisons so far'],
    rows,
  )
}

/**
 * Measures how many requests the gateways themselves send to the core, and how soon they stop once the core slows down.
 */
const measureCore = async (bench: Bench, { seconds }: BenchOptions) => {
  const usualMs = 20
  const core = bench.stopAtEnd(await startSlowCore(usualMs))
  const tokens = await mintTokens(bench, 50)
  const states = openRoutingStates(bench)
  await states.forgetInstances()
  const gateways = await Promise.all(
    Array.from({ length: instances }, () =>
      startShadowGateway(bench, { coreUrl: core.url, askedPercent: 100 }),
    ),
  )
  try {
    for (const label of Object.keys(asked).filter(isLabel))
      await states.store(label, { stage: 'native', weightBp: 10_000 })
    const urls = gateways.flatMap(({ url }) => Object.values(asked).map((path) => url + path))
    // After a minute, the gateways know the usual response time of the core.
    const warmUpSeconds = 75
    const load = sendAtRate(loadOf(urls, tokens, warmUpSeconds + 20 + seconds))
    await sleep(warmUpSeconds * 1000)
    const before = core.askedAt().length
    const slowSince = performance.now()
    core.setDelay(usualMs * 5)
    await load
    const times = core.askedAt()
    const after = times.filter((time) => time > slowSince)
    const lastAfterS = after.length === 0 ? 0 : ((after.at(-1) ?? slowSince) - slowSince) / 1000
    return table(
      ['the core and five instances', ''],
      [
        ["the gateways' own requests", String(before)],
        ['the most in any second (target: at most 25)', String(countInBusiestSecond(times))],
        [
          "seconds from the core becoming five times slower to the gateways' last own request (target: at most 5)",
          lastAfterS.toFixed(1),
        ],
        ['seconds for which the core was slow', String(20 + seconds)],
      ],
    )
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.stop()))
  }
}

export const measureShadow = async (bench: Bench, options: BenchOptions): Promise<string> =>
  [
    `A GET of a route that the core serves, ${perSecond} requests/s, ${options.rounds} interleaved rounds of ${options.seconds} s:`,
    await measureUsers(bench, options),
    await measureCore(bench, options),
  ].join('\n\n')
