import { join } from 'node:path'
import type { Peer } from '../measure.ts'
import { median } from '../statistics.ts'
import { table } from '../tables.ts'
import { type RateOptions, type RateResult, sendAtRate, type TimedRequest } from './constant-rate.ts'

export const probeEnvironment = { NODE_OPTIONS: `--import ${join(import.meta.dirname, 'loop-probe.mjs')}` }

interface Loop {
  readonly delayP999Ms: number
  readonly longestDelayMs: number
  readonly longCollections: number
  readonly memoryMb: number
}

export interface Sample extends Loop {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly p999: number
  readonly errors: number
}

// The cast is safe: our own probe always answers `read` with a `Loop`.
const readLoop = async ({ ask }: Peer) => (await ask('read')) as Loop

export const quantile = (requests: readonly TimedRequest[], share: number) => {
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

export const latencyTable = (samples: ReadonlyMap<string, readonly Sample[]>) =>
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

export const takeSample = async (peer: Peer, load: RateOptions): Promise<Sample> => {
  await readLoop(peer)
  const latencies = quantilesOf(await sendAtRate(load))
  return { ...latencies, ...(await readLoop(peer)) }
}
