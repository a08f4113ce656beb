import { type HrTime, ValueType } from '@opentelemetry/api'
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from '@opentelemetry/otlp-exporter-base/node-http'
import { MetricsExporterMetricsHelper, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics'
import { repeat } from '#shared/repeat.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import { toLoggedRejection } from './export-rejected.ts'
import { createThrottledLog, type Log, version } from './log.ts'
import type { CollectedFamily, MetricsRegistry } from './metric-family.ts'

export interface MetricExportOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Readonly<Record<string, string>>
  readonly instanceId: string
  readonly intervalMs: number
  readonly registry: Pick<MetricsRegistry, 'collect'>
  readonly log: Pick<Log, 'error'>
}

const exportTimeoutMs = 5000

const toHrTime = (unixMs: number): HrTime => [Math.floor(unixMs / 1000), Math.round((unixMs % 1000) * 1e6)]

const unitOf = (name: string) => {
  if (/_seconds(?:_total)?$/.test(name)) return 's'
  return name.endsWith('_bytes') ? 'By' : ''
}

const toAttributes = (labels: Readonly<Record<string, string | number>> = {}) =>
  Object.fromEntries(Object.entries(labels).map(([label, value]) => [label, String(value)]))

interface Period {
  readonly startTime: HrTime
  readonly endTime: HrTime
}

const toMetricData = (family: CollectedFamily, period: Period): MetricData => {
  const { name, help: description } = family
  const base = {
    descriptor: { name, description, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  if (family.type === 'histogram')
    return {
      ...base,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: family.samples.map(({ labels, histogram: { bounds, counts, count, sum } }) => {
        const beyond = count - counts.reduce((total, inBucket) => total + inBucket, 0)
        const buckets = { boundaries: [...bounds], counts: [...counts, beyond] }
        return { ...period, attributes: toAttributes(labels), value: { buckets, count, sum } }
      }),
    }
  const dataPoints = family.samples
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ ...period, attributes: toAttributes(labels), value }))
  return family.type === 'gauge'
    ? { ...base, dataPointType: DataPointType.GAUGE, dataPoints }
    : { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
}

/** Values count from the start of the process, so a failed export loses nothing. */
export const startMetricExport = ({
  url,
  headers,
  resource,
  instanceId,
  intervalMs,
  registry,
  log,
}: MetricExportOptions) => {
  const logThrottled = createThrottledLog(log)
  const startedAt = performance.timeOrigin
  const ofProcess = resourceFromAttributes({
    ...resource,
    'service.version': version,
    'service.instance.id': instanceId,
  })
  const delegate = createOtlpHttpExportDelegate(
    convertLegacyHttpOptions(
      { url, headers: { ...headers }, timeoutMillis: exportTimeoutMs },
      'METRICS',
      'v1/metrics',
      { 'content-type': 'application/x-protobuf' },
    ),
    ProtobufMetricsSerializer,
    'otlp_http_metric_exporter',
    MetricsExporterMetricsHelper,
    undefined,
  )
  let failed = 0

  const send = async () => {
    const families = await registry.collect()
    // The clock may have been set back since the process started.
    const period = { startTime: toHrTime(startedAt), endTime: toHrTime(Math.max(startedAt, Date.now())) }
    const metrics = families
      .map((family) => toMetricData(family, period))
      .filter((it) => it.dataPoints.length > 0)
    const scopeMetrics = [{ scope: { name: 'crossfade', version }, metrics }]
    const sent = Promise.withResolvers<void>()
    delegate.export({ resource: ofProcess, scopeMetrics }, ({ error }) =>
      error ? sent.reject(error) : sent.resolve(),
    )
    await sent.promise
  }
  const run = async () => {
    try {
      await send()
    } catch (error) {
      failed += 1
      logThrottled(toLoggedRejection('MetricsRejected', error), 'failed to export metrics')
    }
  }

  const { stop } = repeat('metrics', run, intervalMs)
  const sendLast = async () => {
    await stop()
    await run()
    await delegate.shutdown()
  }
  return {
    failed: () => failed,
    close: async (timeoutMs: number) => {
      await withTimeout(timeoutMs, sendLast(), () => undefined)
    },
  }
}

export type MetricExport = ReturnType<typeof startMetricExport>
