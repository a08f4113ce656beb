import { collectDefaultMetrics, Registry } from 'prom-client'
import { version } from '../observability/log.ts'
import {
  createTextRegistry,
  type MetricFamily,
  type MetricsRegistry,
} from '../observability/metric-family.ts'

// Not all that prom-client offers: the others list every socket by name at each scrape, or have many series of little use.
const processMetrics: ReadonlySet<string> = new Set([
  'process_cpu_user_seconds_total',
  'process_cpu_system_seconds_total',
  'process_cpu_seconds_total',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'process_open_fds',
  'process_max_fds',
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_max_seconds',
  'nodejs_eventloop_lag_p50_seconds',
  'nodejs_eventloop_lag_p90_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_heap_size_total_bytes',
  'nodejs_heap_size_used_bytes',
  'nodejs_external_memory_bytes',
  'nodejs_gc_duration_seconds',
])

// The timer wakes an idle process; the 10 ms of prom-client cost several times as much.
const eventLoopTimerMs = 50

let processRegistry: Registry | undefined

// Of the process: several gateways, as in tests, share its observers of the event loop and of garbage collection.
const getProcessRegistry = () => {
  if (processRegistry) return processRegistry
  processRegistry = new Registry()
  collectDefaultMetrics({ register: processRegistry, eventLoopMonitoringPrecision: eventLoopTimerMs })
  for (const { name } of processRegistry.getMetricsAsArray())
    if (!processMetrics.has(name)) processRegistry.removeSingleMetric(name)
  return processRegistry
}

/** The registry of Node. prom-client adds the metrics of the process: CPU, memory, event loop, garbage collection. */
export const createPromRegistry = (): MetricsRegistry => {
  const own = createTextRegistry()
  const ofProcess = getProcessRegistry()
  return {
    register: own.register,
    format: async () => (await ofProcess.metrics()) + (await own.format()),
  }
}

/** What runs, as labels of a gauge that is always 1. */
export const buildFamily = (build: string, node: string): MetricFamily => ({
  name: 'crossfade_build_info',
  help: 'Always 1; the labels name the release, the id of its code and the version of Node.',
  type: 'gauge',
  labels: ['version', 'build', 'node'],
  collect: () => [{ labels: { version, build, node }, value: 1 }],
})
