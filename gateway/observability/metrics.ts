// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
import { BucketHistogram } from '#shared/histogram.ts'
import type { RequestOutcome } from '../request/outcome.ts'
import { countOf, gaugeOf, type MetricFamily } from './metric-family.ts'

// Upper bounds in seconds; the +Inf bucket is implicit.
const durationBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface MetricSeries extends Pick<RequestOutcome, 'runtime' | 'reason' | 'fallbackReason'> {
  readonly status: number
  readonly durations: BucketHistogram
}

/** What a request is counted as: its route, a page or a probe, or a path that the gateway does not know. */
type MeteredRoute = RequestOutcome['label'] | NonNullable<RequestOutcome['page']>

/**
 * Counts requests with plain additions, which are read only when they are collected. The reasons are labels of the
 * histogram rather than a counter of their own: a series exists only once it occurs, sums over the other labels remain the
 * same, and a request is still counted once. `fallbackReason` is absent where `fallback` is 0.
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

export const createMetrics = (): Metrics => {
  const seriesByRoute = new Map<MeteredRoute, MetricSeries[]>()
  let inFlight = 0
  let droppedEvents = 0
  let methodOverrides = 0

  const addSeries = (outcome: RequestOutcome, status: number): MetricSeries => {
    const { label, page, runtime, reason, fallbackReason } = outcome
    const durations = new BucketHistogram(durationBounds)
    const added = { runtime, reason, fallbackReason, status, durations }
    const route = page ?? label
    const routeSeries = seriesByRoute.get(route)
    if (routeSeries) routeSeries.push(added)
    else seriesByRoute.set(route, [added])
    return added
  }

  // A route has only a few series: comparing them is cheaper than building a map key for each request.
  const findOrAddSeries = (outcome: RequestOutcome, status: number) => {
    const { label, page, runtime, reason, fallbackReason } = outcome
    for (const series of seriesByRoute.get(page ?? label) ?? [])
      if (
        series.status === status &&
        series.runtime === runtime &&
        series.reason === reason &&
        series.fallbackReason === fallbackReason
      )
        return series
    return addSeries(outcome, status)
  }

  const listDurations = () =>
    [...seriesByRoute].flatMap(([route, routeSeries]) =>
      routeSeries.map(({ runtime, fallbackReason, reason, status, durations }) => ({
        labels: {
          route,
          runtime,
          fallback: fallbackReason === null ? '0' : '1',
          ...(fallbackReason === null ? {} : { fallbackReason }),
          reason,
          status,
        },
        histogram: durations,
      })),
    )

  return {
    beginRequest() {
      inFlight += 1
    },

    endRequest() {
      inFlight -= 1
    },

    observe: (outcome, status, seconds) => findOrAddSeries(outcome, status).durations.observe(seconds),

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
        collect: listDurations,
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
