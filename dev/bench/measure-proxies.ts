import {
  currentGateway,
  measureInterleaved,
  measureRequests,
  type RequestSample,
  warmUpSeconds,
} from './measure.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { createBenchHeaders, startCheckedProxies } from './proxies.ts'
import { type BenchTarget, ratioTo, requestTable, targetTable } from './tables.ts'
import { smallPath } from './upstream-responses.ts'

/** Fewer than the gateway's connections to the core, twice as many, and about eight times as many. */
const defaultConnections = [32, 512, 2000] as const

type Samples = ReadonlyMap<string, RequestSample[]>

const fewConnectionTargets = [
  { name: '@fastify/http-proxy', atLeast: 1.4 },
  { name: 'fast-gateway', atLeast: 1.3 },
  { name: 'bare node:http + undici', atLeast: 0.85 },
] as const

const manyConnectionTargets = [
  { name: '@fastify/http-proxy', atLeast: 1 },
  { name: 'fast-gateway', atLeast: 1 },
  { name: 'bare node:http + undici', atLeast: 0.75 },
] as const

const targetsOf = (connections: number, samples: Samples): BenchTarget[] => [
  ...(connections > 256 ? manyConnectionTargets : fewConnectionTargets)
    .filter(({ name }) => samples.has(name))
    .map(({ name, atLeast }) => ({
      what: `${connections} connections: ratio to ${name}`,
      measured: ratioTo(samples, name).median,
      atLeast,
    })),
  {
    what: `${connections} connections: errors`,
    measured: (samples.get(currentGateway) ?? []).reduce((sum, { errors }) => sum + errors, 0),
    atMost: 0,
  },
]

export const measureProxies = async (bench: Bench, options: BenchOptions): Promise<string> => {
  const { rounds, seconds, connections: chosen } = options
  const headers = await createBenchHeaders(bench)
  const contestants = await startCheckedProxies(bench, options, headers)
  const small = { path: smallPath, headers }
  for (const contestant of contestants)
    await measureRequests(contestant, { ...small, connections: 32, seconds: warmUpSeconds })

  const measured = new Map<number, Samples>()
  for (const connections of chosen ?? defaultConnections) {
    // A proxy's memory for many connections takes several seconds to reach its full size.
    if (connections > 32)
      for (const contestant of contestants)
        await measureRequests(contestant, { ...small, connections, seconds: 3 })
    const samples = await measureInterleaved(contestants, rounds, (contestant) =>
      measureRequests(contestant, { ...small, connections, seconds }),
    )
    measured.set(connections, samples)
  }
  return [
    ...[...measured].flatMap(([connections, samples]) => [
      `GET of 1 KiB, ${connections.toLocaleString('en-US')} connections, ${rounds} rounds of ${seconds} s:`,
      requestTable(samples),
    ]),
    'Targets:',
    targetTable([...measured].flatMap(([connections, samples]) => targetsOf(connections, samples))),
  ].join('\n\n')
}
