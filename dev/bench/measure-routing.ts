import type { Label } from '#contracts/route-table.ts'
import { fullWeightBp } from '#migration/model/route-state.ts'
import { startGatewayProcess } from './gateway-process.ts'
import {
  currentGateway,
  measureInterleaved,
  measureRequests,
  type Peer,
  type RequestSample,
  warmUpSeconds,
} from './measure.ts'
import { accountId } from './measure-native.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { checkServed, startUpstream } from './proxies.ts'
import { type BenchState, openRoutingStates } from './routing-states.ts'
import { intervalOfMedian, median as middleOf, pairedRatios } from './statistics.ts'
import { requestTable, table } from './tables.ts'
import { smallPath } from './upstream-responses.ts'

const wanted = 0.98

interface MeasuredRoute {
  readonly label: Label
  readonly path: string
  readonly runtime: 'native' | 'proxy'
  /**
   * The stored state for each contestant; null for none. In all of them, the same side serves the benchmark's account.
   */
  readonly states: Readonly<Record<string, BenchState | null>>
}

const native: MeasuredRoute = {
  label: 'libraries.list',
  path: '/v1/libraries',
  runtime: 'native',
  states: {
    [currentGateway]: null,
    steady: { stage: 'native', weightBp: fullWeightBp },
    split: { stage: 'canary', weightBp: fullWeightBp - 1 },
  },
}
const forwarded: MeasuredRoute = {
  label: 'packs.detail',
  path: smallPath,
  runtime: 'proxy',
  states: {
    [currentGateway]: null,
    steady: { stage: 'proxy', weightBp: 0 },
    split: { stage: 'canary', weightBp: 1 },
  },
}

// Speed differs from one process start to the next, so only rates from the same process are compared.
const processes = 3

type Samples = ReadonlyMap<string, readonly RequestSample[]>

const ratioTable = (samples: Samples) => {
  const ratioCells = (name: string, rateOf: (sample: RequestSample) => number) => {
    const [rates, offRates] = [name, currentGateway].map((of) => (samples.get(of) ?? []).map(rateOf))
    const ratios = pairedRatios(rates ?? [], offRates ?? [])
    const [low, high] = intervalOfMedian(ratios)
    return [middleOf(ratios).toFixed(3), `${low.toFixed(3)} to ${high.toFixed(3)}`]
  }
  return table(
    ['ratio to off', 'wanted', 'of the gateway', '95 % interval', 'and its comparisons', '95 % interval'],
    ['steady', 'split'].map((name) => [
      name,
      `at least ${wanted}`,
      ...ratioCells(name, ({ perOwnCpuSecond }) => perOwnCpuSecond),
      ...ratioCells(name, ({ perCpuSecond }) => perCpuSecond),
    ]),
  )
}

const joinSamples = (parts: readonly Samples[], names: readonly string[]): Samples =>
  new Map(names.map((name) => [name, parts.flatMap((part) => part.get(name) ?? [])]))

/**
 * Measures what the routing state adds to the cost of a native read and of a forwarded read. Compares three cases: off
 * (no stored state; the peer named `crossfade`), steady (one side serves every account) and split (the side depends on
 * the account). Each process runs all three.
 */
export const measureRouting = async (bench: Bench, { rounds, seconds }: BenchOptions): Promise<string> => {
  const upstream = await startUpstream(bench, 0)
  const routingStates = openRoutingStates(bench)
  const headers = { Authorization: `Bearer ${await bench.issuer.mintToken(accountId)}` }

  const measureProcess = async ({ label, path, runtime, states }: MeasuredRoute, share: number) => {
    await routingStates.forgetInstances()
    const gateway = await startGatewayProcess(bench, { coreUrl: upstream.url })
    const contestants: Peer[] = Object.keys(states).map((name) => ({ name, ...gateway }))
    const measureState = async (contestant: Peer, duration: number) => {
      await routingStates.store(label, states[contestant.name] ?? null)
      await checkServed(contestant, path, headers, runtime)
      return measureRequests(contestant, { path, headers, connections: 32, seconds: duration })
    }
    try {
      for (const contestant of contestants) await measureState(contestant, warmUpSeconds)
      return await measureInterleaved(contestants, share, (contestant) => measureState(contestant, seconds))
    } finally {
      await gateway.stop()
    }
  }

  const measureRoute = async (route: MeasuredRoute) => {
    const parts: Samples[] = []
    for (let started = 0; started < processes; started += 1)
      parts.push(await measureProcess(route, Math.ceil(rounds / processes)))
    const samples = joinSamples(parts, Object.keys(route.states))
    return [
      `A ${route === native ? 'native' : 'forwarded'} GET, 32 connections, ${Math.ceil(rounds / processes)} rounds of ${seconds} s in each of ${processes} processes:`,
      requestTable(samples),
      ratioTable(samples),
    ].join('\n\n')
  }
  return [await measureRoute(native), await measureRoute(forwarded)].join('\n\n')
}
