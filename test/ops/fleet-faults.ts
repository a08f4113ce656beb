/** One sample every 15 seconds: 40 before the fault and 100 during it. `null` is a failed scrape. */
type Samples = readonly (number | null)[]

interface FleetSeries {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  readonly job?: string
  readonly healthy: Samples
  readonly faulty: Samples
}

export interface FleetFault {
  readonly alert: string
  readonly series: readonly FleetSeries[]
}

const before = 40
const during = 100
const total = before + during
const each = (sample: (index: number) => number | null): Samples =>
  Array.from({ length: total }, (_, i) => sample(i))
const constant = (value: number) => each(() => value)
const isFaulty = (index: number) => index >= before
/** Whether a scrape sees a fault that alternates between 10 seconds on and 10 seconds off. */
const isOn = (index: number) => isFaulty(index) && [0, 3].includes((index - before) % 4)

const steps = (value: number) => each((index) => (isFaulty(index) ? value : 0))
const flaps = (on: number, off = 0) => each((index) => (isOn(index) ? on : off))
const grows = (perSample: (index: number) => number): Samples => {
  let sum = 0
  return each((index) => (sum += perSample(index)))
}
const growsWhenOn = (count: number) => grows((index) => (isOn(index) ? count : 0))

const counts = 'crossfade_request_duration_seconds_count'
const buckets = 'crossfade_request_duration_seconds_bucket'

const gauge = (
  name: string,
  faulty: Samples,
  labels: Readonly<Record<string, string>> = {},
  healthy = constant(0),
) => ({
  name,
  labels,
  faulty,
  healthy,
})
const counter = (name: string, labels: Readonly<Record<string, string>> = {}) =>
  gauge(name, growsWhenOn(20), labels)
const up = (faulty: Samples, job?: string) => ({
  name: 'up',
  faulty,
  healthy: constant(1),
  ...(job ? { job } : {}),
})

const answered = gauge(
  counts,
  grows(() => 20),
  { route: 'tracks.list', status: '200' },
  grows(() => 20),
)
const failed = counter(counts, { route: 'tracks.list', status: '503' })
// Failed probes do not count as errors for clients.
const probes = gauge(
  counts,
  grows(() => 20),
  { route: 'probe', status: '503' },
  grows(() => 20),
)
const errors = [answered, failed, probes]
const bucket = (le: string, faulty: Samples) =>
  gauge(
    buckets,
    faulty,
    { route: 'tracks.list', le },
    grows(() => 20),
  )
const slow = [
  answered,
  bucket(
    '1',
    grows((index) => (isOn(index) ? 0 : 20)),
  ),
  bucket(
    '2.5',
    grows(() => 20),
  ),
  bucket(
    '+Inf',
    grows(() => 20),
  ),
]
const jobsMetric = 'crossfade_jobs'

/** A fault for each alert, as it appears in an environment's scrapes. */
export const fleetFaults: readonly FleetFault[] = [
  { alert: 'CrossfadeInstanceDown', series: [up(each((index) => (isFaulty(index) ? 0 : 1)))] },
  {
    alert: 'CrossfadeGatewaysGone',
    // Service discovery has dropped the targets.
    series: [up(each((index) => (isFaulty(index) ? null : 1)))],
  },
  {
    alert: 'CrossfadeCrashLoop',
    series: [
      gauge(
        'process_start_time_seconds',
        each((index) => (isFaulty(index) ? index - (index % 4) : 0)),
      ),
    ],
  },
  { alert: 'CrossfadeErrors', series: errors },
  { alert: 'CrossfadeAvailabilityBurnsFast', series: errors },
  { alert: 'CrossfadeAvailabilityBurns', series: errors },
  { alert: 'CrossfadeSlow', series: slow },
  { alert: 'CrossfadeLatencyBurnsFast', series: slow },
  { alert: 'CrossfadeLatencyBurns', series: slow },
  {
    alert: 'CrossfadeCoreBreakerOpen',
    series: [gauge('crossfade_breaker_open', flaps(1), { breaker: 'core' })],
  },
  { alert: 'CrossfadeCoreHung', series: [counter('crossfade_core_hangs_total')] },
  {
    alert: 'CrossfadeCoreSaturated',
    series: [gauge('crossfade_core_requests_waiting', flaps(30), { lane: 'requests' })],
  },
  {
    alert: 'CrossfadeNativeBypassed',
    series: [gauge('crossfade_breaker_open', flaps(1), { breaker: 'tracks.list' })],
  },
  {
    alert: 'CrossfadeNativeStopped',
    series: [counter('crossfade_automatic_stops_total', { route: 'tracks.list', cause: 'errors' })],
  },
  {
    alert: 'CrossfadeFallbacks',
    series: [
      answered,
      counter(counts, { route: 'tracks.list', fallback: '1', fallbackReason: 'timeout', status: '200' }),
    ],
  },
  {
    alert: 'CrossfadeDatabaseUnavailable',
    series: [gauge('crossfade_routing_stale', flaps(1)), counter(counts, { fallbackReason: 'database' })],
  },
  {
    alert: 'CrossfadeDatabasePoolExhausted',
    series: [gauge('crossfade_database_waiting', flaps(30), { pool: 'requests' })],
  },
  { alert: 'CrossfadeRoutingStale', series: [gauge('crossfade_routing_stale', flaps(1))] },
  { alert: 'CrossfadeRoutingRestored', series: [gauge('crossfade_routing_restored', steps(1))] },
  {
    alert: 'CrossfadeRoutingDiffers',
    // Each environment has its own epochs.
    series: [
      gauge('crossfade_routing_epoch', constant(9), { instance: '10.0.0.2:8788' }, constant(500)),
      gauge(
        'crossfade_routing_epoch',
        each((index) => (isFaulty(index) ? 8 : 9)),
        {},
        constant(500),
      ),
    ],
  },
  {
    alert: 'CrossfadeComparisonsDiffer',
    series: [counter('crossfade_comparisons_total', { route: 'tracks.list', result: 'regression' })],
  },
  {
    alert: 'CrossfadeRateLimitStoreDown',
    series: [counter('crossfade_rate_limit_store_calls_total', { result: 'failed' })],
  },
  { alert: 'CrossfadeEventsDropped', series: [counter('crossfade_engagement_events_dropped_total')] },
  { alert: 'CrossfadeEventsWaiting', series: [gauge('crossfade_engagement_events_waiting', steps(6000))] },
  {
    alert: 'CrossfadeEventLoopBlocked',
    series: [gauge('nodejs_eventloop_lag_max_seconds', flaps(0.9, 0.05), {}, constant(0.05))],
  },
  {
    alert: 'CrossfadeFilesExhausted',
    series: [
      gauge('process_open_fds', flaps(900, 100), {}, constant(100)),
      gauge('process_max_fds', constant(1000), {}, constant(1000)),
    ],
  },
  {
    alert: 'CrossfadeJobsUnknown',
    series: [
      up(constant(1)),
      {
        name: jobsMetric,
        labels: { queue: 'process-version', state: 'waiting' },
        healthy: constant(0),
        faulty: each((index) => (isFaulty(index) ? null : 0)),
      },
    ],
  },
  {
    alert: 'CrossfadeJobsStuck',
    series: [gauge('crossfade_jobs_oldest_seconds', steps(400), { queue: 'check-asset' })],
  },
  {
    alert: 'CrossfadeJobsFailing',
    series: [counter('crossfade_job_duration_seconds_count', { queue: 'check-asset', result: 'failed' })],
  },
  {
    alert: 'CrossfadeJobsRetrying',
    series: [gauge(jobsMetric, steps(2), { queue: 'check-asset', state: 'retrying' })],
  },
  {
    alert: 'CrossfadeJobsDeadLettered',
    series: [gauge(jobsMetric, steps(2), { queue: 'check-asset', state: 'failed' })],
  },
]

/** Faults that must not raise an alert: one that lasts for a single scrape, a restart, a few errors. */
export const quietFaults: readonly FleetFault[] = [
  {
    alert: 'CrossfadeNativeBypassed',
    series: [
      gauge(
        'crossfade_breaker_open',
        each((index) => (index === before ? 1 : 0)),
        { breaker: 'tracks.list' },
      ),
    ],
  },
  { alert: 'CrossfadeErrors', series: [probes, answered] },
  {
    alert: 'CrossfadeErrors',
    series: [
      gauge(
        counts,
        grows((index) => (index % 20 === 0 ? 1 : 0)),
        { route: 'tracks.list', status: '503' },
      ),
    ],
  },
  {
    alert: 'CrossfadeCrashLoop',
    series: [
      gauge(
        'process_start_time_seconds',
        each((index) => (isFaulty(index) ? 50 : 0)),
      ),
    ],
  },
  {
    alert: 'CrossfadeRoutingDiffers',
    // One instance adopts each change before the other one is scraped.
    series: [
      gauge(
        'crossfade_routing_epoch',
        each((index) => index),
        { instance: '10.0.0.2:8788' },
      ),
      gauge(
        'crossfade_routing_epoch',
        each((index) => Math.max(0, index - 1)),
      ),
    ],
  },
]
