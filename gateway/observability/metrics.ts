import { BucketHistogram } from '#shared/histogram.ts'
import { listTimerWork } from '#shared/repeat.ts'
import type { RequestOutcome } from '../request/context.ts'
import { countOf, gaugeOf, type HistogramSample, type MetricFamily } from './metric-family.ts'

// upper bounds in seconds; +Inf is implicit
const durationBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type DurationSeries = HistogramSample & {
  readonly status: number
  readonly histogram: BucketHistogram
} & Pick<RequestOutcome, 'runtime' | 'reason' | 'fallbackReason'>

/**
 * Reasons are labels of the histogram, not a separate counter: a series exists only once a request needs it, and each
 * request is counted once. `fallbackReason` is absent where `fallback` is 0.
 */
export const createMetrics = () => {
  /** Keyed by what was requested: a page or probe, a route, or an unknown path. */
  const durations = new Map<string, DurationSeries[]>()
  let inFlight = 0
  let droppedEvents = 0
  let methodOverrides = 0

  const findOrAddHistogram = (outcome: RequestOutcome, status: number) => {
    const { label, page, runtime, reason, fallbackReason } = outcome
    const route = page ?? label
    const ofRoute = durations.get(route) ?? []
    // A search is cheap, because a route has few series. A key made of all labels would have to be built for every
    // request.
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

    observe: (outcome: RequestOutcome, status: number, seconds: number) =>
      findOrAddHistogram(outcome, status).observe(seconds),

    countDroppedEvents(count: number) {
      droppedEvents += count
    },

    countMethodOverride() {
      methodOverrides += 1
    },

    families: [
      {
        name: 'crossfade_request_duration_seconds',
        help: "Time from receiving a request's head to the end of its response.",
        type: 'histogram',
        labels: ['route', 'runtime', 'fallback', 'fallbackReason', 'reason', 'status'],
        collect: () => [...durations.values()].flat(),
      },
      gaugeOf(
        'crossfade_requests_in_flight',
        'Requests that have arrived but have no complete response yet.',
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
    ] satisfies readonly MetricFamily[],
  }
}

export type Metrics = ReturnType<typeof createMetrics>

/** Only for Node, because an isolate has a queue per request. */
export const createEventQueueFamily = (countWaiting: () => number) =>
  gaugeOf(
    'crossfade_engagement_events_waiting',
    'Engagement events waiting to be written to the database.',
    countWaiting,
  )

export const timerFamily: MetricFamily = {
  name: 'crossfade_timer_work_seconds',
  help: 'How long each piece of periodic work, such as writing counts, blocked the process.',
  type: 'histogram',
  labels: ['work'],
  collect: listTimerWork,
}
