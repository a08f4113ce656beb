import { countOf, gaugeOf, type MetricFamily } from './metric-family.ts'

interface LimitCounts {
  readonly calls: { readonly completed: number; readonly failed: number; readonly local: number }
  usesLocalCounts(): boolean
}

/** How the store of the rate limits is used, and whether it is bypassed. */
export const createRateLimitFamilies = (limits: LimitCounts): readonly MetricFamily[] => [
  {
    name: 'crossfade_rate_limit_store_calls_total',
    help: 'Calls of the store of the rate limits, each for the requests that waited together.',
    type: 'counter',
    labels: ['result'],
    collect: () => [
      { labels: { result: 'completed' }, value: limits.calls.completed },
      { labels: { result: 'failed' }, value: limits.calls.failed },
    ],
  },
  countOf(
    'crossfade_rate_limit_local_reservations_total',
    'Uses that were counted in memory because the store of the rate limits was unavailable.',
    () => limits.calls.local,
  ),
  gaugeOf(
    'crossfade_rate_limit_local',
    '1 while rate limits are counted in memory because their store is unavailable.',
    () => (limits.usesLocalCounts() ? 1 : 0),
  ),
]
