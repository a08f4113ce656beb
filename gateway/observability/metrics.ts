// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
import type { RequestOutcome } from '../request/context.ts'

// Seconds; the last bucket is +Inf.
const durationBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Series extends Pick<RequestOutcome, 'runtime' | 'fallback'> {
  readonly status: number
  readonly labels: string
  readonly buckets: number[]
  count: number
  seconds: number
}

/** Counts requests with plain additions and writes the Prometheus text only when somebody asks for it. */
export interface Metrics {
  observe(outcome: RequestOutcome, status: number, seconds: number): void
  /** Engagement events that could not be kept. */
  countDroppedEvents(count: number): void
  /** The Prometheus text exposition format, version 0.0.4. */
  text(): string
}

export const createMetrics = (): Metrics => {
  const seriesByRoute = new Map<RequestOutcome['label'], Series[]>()
  let droppedEvents = 0

  const addSeries = ({ label, runtime, fallback }: RequestOutcome, status: number): Series => {
    const labels = `route="${label}",runtime="${runtime}",fallback="${fallback ? 1 : 0}",status="${status}"`
    const buckets = durationBounds.map(() => 0)
    const added = { runtime, fallback, status, labels, buckets, count: 0, seconds: 0 }
    const ofRoute = seriesByRoute.get(label)
    if (ofRoute) ofRoute.push(added)
    else seriesByRoute.set(label, [added])
    return added
  }

  // A route has a handful of them: to compare is cheaper than to write a key for each request.
  const seriesOf = (outcome: RequestOutcome, status: number) => {
    for (const one of seriesByRoute.get(outcome.label) ?? [])
      if (one.status === status && one.runtime === outcome.runtime && one.fallback === outcome.fallback)
        return one
    return addSeries(outcome, status)
  }

  return {
    observe(outcome, status, seconds) {
      const entry = seriesOf(outcome, status)
      entry.count += 1
      entry.seconds += seconds
      const bucket = durationBounds.findIndex((bound) => seconds <= bound)
      if (bucket >= 0) entry.buckets[bucket] = (entry.buckets[bucket] ?? 0) + 1
    },

    countDroppedEvents(count) {
      droppedEvents += count
    },

    text() {
      const lines = ['# TYPE crossfade_request_duration_seconds histogram']
      for (const { labels, buckets, count, seconds } of [...seriesByRoute.values()].flat()) {
        let below = 0
        for (const [index, bound] of durationBounds.entries()) {
          below += buckets[index] ?? 0
          lines.push(`crossfade_request_duration_seconds_bucket{${labels},le="${bound}"} ${below}`)
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
      )
      return `${lines.join('\n')}\n`
    },
  }
}
