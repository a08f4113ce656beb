import { BucketHistogram } from '#shared/histogram.ts'
import type { RequestOutcome } from '../request/outcome.ts'
import { countOf, gaugeOf, type HistogramSample, type MetricFamily } from './metric-family.ts'

// Upper bounds in seconds; the +Inf bucket is implicit.
const durationBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Counts requests. The reasons are labels of the histogram rather than a counter of their own: a series exists only once it
 * occurs, sums over the other labels remain the same, and a request is still counted once. `fallbackReason` is absent where
 * `fallback` is 0.
 */
export interface Metrics {
  /** Counts a request that has arrived; `endRequest` follows. */
  beginRequest(): void
  endRequest(): void
  observe(outcome: RequestOutcome, status: number, seconds: number): void
  /** Counts engagement events that could not be stored. */
  countDroppedEvents(count: number): void
  /** Counts a request that was rejected because a header overrides its method. */
  countMethodOverride(): void
  readonly families: readonly MetricFamily[]
}

type DurationSeries = HistogramSample & {
  readonly status: number
  readonly histogram: BucketHistogram
} & Pick<RequestOutcome, 'runtime' | 'reason' | 'fallbackReason'>

export const createMetrics = (): Metrics => {
  /** By what was requested: a page or a probe, a route, or a path that the gateway does not know. */
  const durations = new Map<string, DurationSeries[]>()
  let inFlight = 0
  let droppedEvents = 0
  let methodOverrides = 0

  const findOrAddHistogram = (outcome: RequestOutcome, status: number) => {
    const { label, page, runtime, reason, fallbackReason } = outcome
    const route = page ?? label
    const ofRoute = durations.get(route) ?? []
    // A route has few series, and a key of all labels would be built for each request.
    const known = ofRoute.find(
      (series) =>
        series.status === status &&
        series.runtime === runtime &&
        series.reason === reason &&
        series.fallbackReason === fallbackReason,
    )
    if (known) return known.histogram
    const fallback = fallbackReason === null ? { fallback: '0' } : { fallback: '1', fallbackReason }
    const labels = { route, runtime, ...fallback, reason, status }
    const histogram = new BucketHistogram(durationBounds)
    durations.set(route, [...ofRoute, { status, runtime, reason, fallbackReason, labels, histogram }])
    return histogram
  }

  return {
    beginRequest() {
      inFlight += 1
    },

    endRequest() {
      inFlight -= 1
    },

    observe: (outcome, status, seconds) => findOrAddHistogram(outcome, status).observe(seconds),

    countDroppedEvents(count) {
      droppedEvents += count
    },

    countMethodOverride() {
      methodOverrides += 1
    },

    families: [
      {
        name: 'crossfade_request_duration_seconds',
        help: 'Time from the head of a request until its response has ended.',
        type: 'histogram',
        labels: ['route', 'runtime', 'fallback', 'fallbackReason', 'reason', 'status'],
        collect: () => [...durations.values()].flat(),
      },
      gaugeOf(
        'crossfade_requests_in_flight',
        'Requests that have arrived and whose response has not ended.',
        () => inFlight,
      ),
      countOf(
        'crossfade_engagement_events_dropped_total',
        'Engagement events that could not be stored.',
        () => droppedEvents,
      ),
      countOf(
        'crossfade_method_overrides_rejected_total',
        'Requests with a header that names another method.',
        () => methodOverrides,
      ),
    ],
  }
}

/** The events that a process has not written yet. An isolate has a queue for each request, and no such gauge. */
export const createEventQueueFamily = (countWaiting: () => number) =>
  gaugeOf(
    'crossfade_engagement_events_waiting',
    'Engagement events that wait to be written to the database.',
    countWaiting,
  )
