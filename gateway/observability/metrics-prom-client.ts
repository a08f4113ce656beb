import { collectDefaultMetrics, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client'
import { version } from './log.ts'
import {
  type CollectedFamily,
  createTextRegistry,
  type HistogramSample,
  type MetricFamily,
  type MetricsRegistry,
} from './metric-family.ts'

// Only some of prom-client's metrics: the others list every socket by name at each scrape, or add many series of little
// use.
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

// This timer also wakes an idle process. prom-client's default of 10 ms costs several times as much.
const eventLoopTimerMs = 50

let processRegistry: Registry | undefined

// One per process: if several gateways run in it, as in tests, they share the observers of the event loop and garbage
// collection.
const getProcessRegistry = () => {
  if (processRegistry) return processRegistry
  processRegistry = new Registry()
  collectDefaultMetrics({ register: processRegistry, eventLoopMonitoringPrecision: eventLoopTimerMs })
  for (const { name } of processRegistry.getMetricsAsArray())
    if (!processMetrics.has(name)) processRegistry.removeSingleMetric(name)
  return processRegistry
}

type ProcessMetric = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>

const definedLabels = ({ le: _, ...labels }: ProcessMetric['values'][number]['labels']) =>
  Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

// For a histogram, prom-client returns a value for each cumulative bucket, one for the sum and one for the count.
const toHistograms = ({ name, values }: ProcessMetric): HistogramSample[] => {
  const groups = Map.groupBy(values, ({ labels }) => JSON.stringify(definedLabels(labels)))
  return [...groups.values()].map((ofHistogram) => {
    const find = (part: string) =>
      ofHistogram.find(({ metricName }) => metricName === `${name}_${part}`)?.value ?? 0
    const buckets = ofHistogram.filter(({ labels }) => typeof labels.le === 'number')
    return {
      labels: definedLabels(ofHistogram[0]?.labels ?? {}),
      histogram: {
        bounds: buckets.map(({ labels }) => Number(labels.le)),
        counts: buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0)),
        count: find('count'),
        sum: find('sum'),
      },
    }
  })
}

const toFamily = (metric: ProcessMetric): CollectedFamily => {
  const { name, help, values } = metric
  if (String(metric.type) === 'histogram')
    return { name, help, type: 'histogram', samples: toHistograms(metric) }
  return {
    name,
    help,
    type: String(metric.type) === 'counter' ? 'counter' : 'gauge',
    samples: values.map(({ labels, value }) => ({ labels: definedLabels(labels), value })),
  }
}

export const createPromRegistry = (): MetricsRegistry => {
  const own = createTextRegistry()
  const ofProcess = getProcessRegistry()
  return {
    register: own.register,
    format: async () => (await ofProcess.metrics()) + (await own.format()),
    collect: async () => [...(await ofProcess.getMetricsAsJSON()).map(toFamily), ...(await own.collect())],
  }
}

export const buildFamily = (build: string, node: string): MetricFamily => ({
  name: 'crossfade_build_info',
  help: 'Always 1; the labels name the release, the id of its code and the version of Node.',
  type: 'gauge',
  labels: ['version', 'build', 'node'],
  collect: () => [{ labels: { version, build, node }, value: 1 }],
})
