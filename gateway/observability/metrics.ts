// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
import type { RequestOutcome } from '../request/context.ts'

// Upper bounds in seconds; the +Inf bucket is implicit.
const durationBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface MetricSeries extends Pick<RequestOutcome, 'runtime' | 'reason' | 'fallbackReason'> {
  readonly status: number
  readonly labels: string
  readonly buckets: number[]
  count: number
  seconds: number
}

const formatLabels = ({ label, runtime, reason, fallbackReason }: RequestOutcome, status: number) => {
  const fallback =
    fallbackReason === null ? 'fallback="0"' : `fallback="1",fallbackReason="${fallbackReason}"`
  return `route="${label}",runtime="${runtime}",${fallback},reason="${reason}",status="${status}"`
}

/**
 * Counts requests with plain additions and formats the Prometheus text only when it is scraped. The reasons are labels
 * of the histogram rather than a counter of their own: a series exists only once it occurs, sums over the other labels
 * remain the same, and a request is still counted once. `fallbackReason` is absent where `fallback` is 0.
 */
export interface Metrics {
  observe(outcome: RequestOutcome, status: number, seconds: number): void
  /** Counts engagement events that could not be stored. */
  countDroppedEvents(count: number): void
  /** Counts a request that was rejected because a header overrides its method. */
  countMethodOverride(): void
  /** The Prometheus text exposition format, version 0.0.4. */
  text(): string
}

export const createMetrics = (): Metrics => {
  const seriesByRoute = new Map<RequestOutcome['label'], MetricSeries[]>()
  let droppedEvents = 0
  let methodOverrides = 0

  const addSeries = (outcome: RequestOutcome, status: number): MetricSeries => {
    const { label, runtime, reason, fallbackReason } = outcome
    const labels = formatLabels(outcome, status)
    const buckets = durationBounds.map(() => 0)
    const added = { runtime, reason, fallbackReason, status, labels, buckets, count: 0, seconds: 0 }
    const routeSeries = seriesByRoute.get(label)
    if (routeSeries) routeSeries.push(added)
    else seriesByRoute.set(label, [added])
    return added
  }

  // A route has only a few series: comparing them is cheaper than building a map key for each request.
  const findOrAddSeries = (outcome: RequestOutcome, status: number) => {
    const { label, runtime, reason, fallbackReason } = outcome
    for (const series of seriesByRoute.get(label) ?? [])
      if (
        series.status === status &&
        series.runtime === runtime &&
        series.reason === reason &&
        series.fallbackReason === fallbackReason
      )
        return series
    return addSeries(outcome, status)
  }

  return {
    observe(outcome, status, seconds) {
      const entry = findOrAddSeries(outcome, status)
      entry.count += 1
      entry.seconds += seconds
      const bucket = durationBounds.findIndex((bound) => seconds <= bound)
      if (bucket >= 0) entry.buckets[bucket] = (entry.buckets[bucket] ?? 0) + 1
    },

    countDroppedEvents(count) {
      droppedEvents += count
    },

    countMethodOverride() {
      methodOverrides += 1
    },

    text() {
      const lines = ['# TYPE crossfade_request_duration_seconds histogram']
      for (const { labels, buckets, count, seconds } of [...seriesByRoute.values()].flat()) {
        let cumulativeCount = 0
        for (const [index, bound] of durationBounds.entries()) {
          cumulativeCount += buckets[index] ?? 0
          lines.push(`crossfade_request_duration_seconds_bucket{${labels},le="${bound}"} ${cumulativeCount}`)
        }
        lines.push(
          `crossfade_request_duration_seconds_bucket{${labels},le="+Inf"} ${count}`,
          `crossfade_request_duration_seconds_sum{${labels}} ${seconds}`,
          `crossfade_request_duration_seconds_count{${labels}} ${count}`,
        )
      }
      lines.push(
        '# TYPE crossfade_engagement_events_dropped_total counter',
        `crossfade_engagement_events_dropped_total ${droppedEvents}`,
        '# HELP crossfade_method_overrides_rejected_total Requests with a header that names another method.',
        '# TYPE crossfade_method_overrides_rejected_total counter',
        `crossfade_method_overrides_rejected_total ${methodOverrides}`,
      )
      return `${lines.join('\n')}\n`
    },
  }
}
