import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import {
  type HistogramFamily,
  listHistogram,
  type MetricFamily,
  type MetricsRegistry,
} from '../observability/metric-family.ts'

/** A histogram whose values are counted elsewhere: prom-client's own looks up its labels for each observation. */
class CollectedHistogram extends Histogram {
  readonly #family: HistogramFamily

  constructor(family: HistogramFamily) {
    super({ name: family.name, help: family.help, labelNames: [...family.labels], registers: [] })
    this.#family = family
  }

  /** What a registry of prom-client formats; its types do not have it. */
  async getForPromString() {
    const { name, help, type } = this.#family
    const values = this.#family.collect().flatMap(listHistogram)
    return {
      name,
      help,
      type,
      values: values.map((sample) => ({ ...sample, metricName: name + sample.suffix })),
    }
  }
}

const createMetric = (family: MetricFamily) => {
  if (family.type === 'histogram') return new CollectedHistogram(family)
  const { name, help, labels, collect } = family
  const options = { name, help, labelNames: [...labels], registers: [] }
  if (family.type === 'gauge')
    return new Gauge({
      ...options,
      async collect() {
        const samples = await collect()
        this.reset()
        for (const sample of samples) this.set({ ...sample.labels }, sample.value)
      },
    })
  return new Counter({
    ...options,
    async collect() {
      const samples = await collect()
      this.reset()
      for (const sample of samples) this.inc({ ...sample.labels }, sample.value)
    },
  })
}

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
  for (const metric of processRegistry.getMetricsAsArray()) {
    if (!processMetrics.has(metric.name)) processRegistry.removeSingleMetric(metric.name)
  }
  return processRegistry
}

/** The registry of Node. It adds the metrics of the process: CPU, memory, event loop, garbage collection. */
export const createPromRegistry = (): MetricsRegistry => {
  const own = new Registry()
  const ofProcess = getProcessRegistry()
  return {
    register(families) {
      for (const family of families) own.registerMetric(createMetric(family))
    },
    format: () => Registry.merge([ofProcess, own]).metrics(),
  }
}
