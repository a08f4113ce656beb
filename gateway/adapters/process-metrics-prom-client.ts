import { AggregatorRegistry } from 'prom-client'
import type { CollectedMetric } from '../observability/metric-family.ts'
import { describeMetrics } from './metrics-prom-client.ts'

type Metrics = readonly CollectedMetric[]

interface ProcessMetrics {
  /** Keeps what a process has reported. */
  record(pid: number, metrics: Metrics): void
  /** Keeps the counts of a process that has exited as part of all sums. */
  recordExit(pid: number): void
  /** The sums of all processes; what is no count is only of those that are `current`. */
  format(current: ReadonlySet<number>): Promise<string>
}

const isCount = ({ type }: CollectedMetric) => type === 'counter' || type === 'histogram'

/**
 * Aggregates the metrics of several processes. A sum of counts must never decrease: Prometheus would take that for a
 * restart and count the whole sum again. So the last counts of a process remain in the sums when it does not respond and
 * after it has exited.
 */
export const createProcessMetrics = (): ProcessMetrics => {
  const last = new Map<number, Metrics>()
  let exited: Metrics = []

  return {
    record: (pid, metrics) => void last.set(pid, metrics),

    recordExit(pid) {
      const counts = last.get(pid)?.filter(isCount) ?? []
      last.delete(pid)
      exited = [...exited, ...counts]
    },

    async format(current) {
      const merged = AggregatorRegistry.aggregate([[...exited]])
      exited = describeMetrics(await merged.getMetricsAsJSON())
      const reported = [...last].map(([pid, metrics]) =>
        current.has(pid) ? [...metrics] : metrics.filter(isCount),
      )
      return AggregatorRegistry.aggregate([...reported, [...exited]]).metrics()
    },
  }
}
