import type { Database } from '#db/client/connection.ts'
import type { CorePool } from '#proxy/undici/core-pool.ts'
import type { TransportReadings } from '#proxy/undici/transport-undici.ts'
import type { Tracer } from '#shared/tracing/trace.ts'
import { countOf, gaugeOf, type MetricFamily, type ValueFamily } from './metric-family.ts'

const gaugeBy =
  <Usage>(label: string, read: () => Readonly<Record<string, Usage>>) =>
  (name: string, help: string, select: (usage: Usage) => number): ValueFamily => ({
    name,
    help,
    type: 'gauge',
    labels: [label],
    collect: () =>
      Object.entries(read()).map(([key, usage]) => ({ labels: { [label]: key }, value: select(usage) })),
  })

export const createCoreFamilies = (read: () => TransportReadings): readonly MetricFamily[] => {
  const gaugeOfLanes = gaugeBy('lane', () => read().lanes)
  return [
    {
      name: 'crossfade_core_response_seconds',
      help: 'Time from sending a request to the core until its response head, for requests without a streamed body.',
      type: 'histogram',
      labels: [],
      collect: () => [{ histogram: read().responseTimes }],
    },
    gaugeOf('crossfade_core_hanging', '1 while the core accepts connections but does not respond.', () =>
      read().isHanging ? 1 : 0,
    ),
    countOf(
      'crossfade_core_hangs_total',
      'How many times the core accepted connections but stopped responding.',
      () => read().hangs,
    ),
    gaugeOfLanes('crossfade_core_connections', 'Open connections to the core.', ({ open }) => open),
    gaugeOfLanes(
      'crossfade_core_requests_connecting',
      'Requests waiting for a connection to the core to open.',
      ({ connecting }) => connecting,
    ),
    gaugeOfLanes(
      'crossfade_core_requests',
      'Requests to the core in progress, excluding long streams.',
      ({ used }) => used,
    ),
    gaugeOfLanes(
      'crossfade_core_requests_max',
      'How many requests to the core may be in progress at once.',
      ({ capacity }) => capacity,
    ),
    gaugeOfLanes(
      'crossfade_core_requests_waiting',
      'Requests queued until another request to the core ends.',
      ({ waiting }) => waiting,
    ),
  ]
}

export const createEndpointFamilies = ({
  endpoints,
  resends,
}: Pick<CorePool, 'endpoints' | 'resends'>): readonly MetricFamily[] => {
  const byName = () => Object.fromEntries(endpoints().map((endpoint) => [endpoint.name, endpoint]))
  const gaugeOfEndpoints = gaugeBy('endpoint', byName)
  return [
    gaugeOfEndpoints(
      'crossfade_core_endpoint_available',
      '1 while an endpoint of the core gets requests; 0 while it is avoided or its breaker is open.',
      ({ isAvailable }) => (isAvailable ? 1 : 0),
    ),
    gaugeOfEndpoints(
      'crossfade_core_endpoint_requests',
      'Requests in progress at an endpoint of the core, excluding long streams.',
      ({ requests }) => requests,
    ),
    {
      name: 'crossfade_core_endpoint_failures_total',
      help: 'Failed requests to an endpoint of the core (5xx or no complete response). Counted only while the core has more than one endpoint.',
      type: 'counter',
      labels: ['endpoint'],
      collect: () => endpoints().map(({ name, failed }) => ({ labels: { endpoint: name }, value: failed })),
    },
    countOf(
      'crossfade_core_resends_total',
      'How many requests were sent to another endpoint of the core after one failed.',
      resends,
    ),
  ]
}

type Pools = Readonly<Record<string, Pick<Database, 'usage'>>>

export const createDatabaseFamilies = (pools: Pools): readonly MetricFamily[] => {
  const usages = () => Object.fromEntries(Object.entries(pools).map(([pool, { usage }]) => [pool, usage()]))
  const gaugeOfPools = gaugeBy('pool', usages)
  return [
    gaugeOfPools(
      'crossfade_database_connections_in_use',
      'Database connections in use by a statement or a transaction.',
      ({ inUse }) => inUse,
    ),
    gaugeOfPools(
      'crossfade_database_connections_max',
      'Maximum number of connections that the pool opens.',
      ({ size }) => size,
    ),
    gaugeOfPools(
      'crossfade_database_waiting',
      'Statements and transactions waiting for a connection.',
      ({ waiting }) => waiting,
    ),
    {
      name: 'crossfade_database_acquire_seconds',
      help: 'How long a statement or transaction waited until it got a connection or timed out.',
      type: 'histogram',
      labels: ['pool'],
      collect: () =>
        Object.entries(usages()).map(([pool, { acquireTimes }]) => ({
          labels: { pool },
          histogram: acquireTimes,
        })),
    },
  ]
}

interface LimitCounts {
  readonly calls: { readonly completed: number; readonly failed: number; readonly local: number }
  usesLocalCounts(): boolean
}

export const createRateLimitFamilies = (limits: LimitCounts): readonly MetricFamily[] => [
  {
    name: 'crossfade_rate_limit_store_calls_total',
    help: 'Calls to the rate-limit store. One call covers all requests that were waiting at that moment.',
    type: 'counter',
    labels: ['result'],
    collect: () => [
      { labels: { result: 'completed' }, value: limits.calls.completed },
      { labels: { result: 'failed' }, value: limits.calls.failed },
    ],
  },
  countOf(
    'crossfade_rate_limit_local_reservations_total',
    'Rate-limit reservations made in memory because the rate-limit store was unavailable.',
    () => limits.calls.local,
  ),
  gaugeOf(
    'crossfade_rate_limit_local',
    '1 while rate limits are counted in memory because their store is unavailable.',
    () => (limits.usesLocalCounts() ? 1 : 0),
  ),
]

export const createLossFamilies = (
  readLostLines: () => number,
  tracer: Pick<Tracer, 'lostSpans'> | null,
  metricExport: { failed(): number } | null,
): readonly MetricFamily[] => [
  countOf('crossfade_log_lines_lost_total', 'Log lines that standard output did not accept.', readLostLines),
  countOf(
    'crossfade_spans_lost_total',
    'Spans that the collector did not receive.',
    () => tracer?.lostSpans() ?? 0,
  ),
  countOf(
    'crossfade_metric_exports_failed_total',
    'Exports of metrics that the collector did not receive.',
    () => metricExport?.failed() ?? 0,
  ),
]
