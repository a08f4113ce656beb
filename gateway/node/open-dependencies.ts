import type { Database } from '#db/client/connection.ts'
import type { ModelPort } from '#native-routes/catalog-analysis/ports.ts'
import { repeat } from '#shared/repeat.ts'
import type { Tracer } from '#shared/tracing/trace.ts'
import type { Log } from '../observability/log.ts'
import type { MetricsRegistry } from '../observability/metric-family.ts'
import type { MetricExport } from '../observability/metrics-opentelemetry.ts'
import type { LimitStore, SharedLimits } from '../rate-limits/create-limits.ts'
import { createPostgresLimitStore } from '../rate-limits/rate-limit-postgres.ts'
import { openRedisLimitStore } from '../rate-limits/rate-limit-redis.ts'
import { readModelOptions } from '../settings/model.ts'
import type { Settings } from '../settings/settings.ts'
import { readMetricOptions, readTracingOptions, type TracingVariables } from '../settings/tracing.ts'

export const openModel = async (settings: Settings): Promise<ModelPort | null> => {
  const options = readModelOptions(settings)
  if (options === null) return null
  const { createChatModel } = await import('../adapters/model-chat-completions.ts')
  return createChatModel(options)
}

interface ObservedProcess {
  /** Used unless the settings contain a name. */
  readonly serviceName: string
  readonly instanceId: string
  readonly log: Log
}

/** Starts recording spans; null if no collector is configured, in which case OpenTelemetry is never loaded. */
export const openTracing = async (
  settings: TracingVariables,
  { serviceName, instanceId, log }: ObservedProcess,
): Promise<Tracer | null> => {
  const options = readTracingOptions(settings, serviceName)
  if (!options) return null
  const { startOpenTelemetry } = await import('../observability/tracing-opentelemetry.ts')
  return startOpenTelemetry({ ...options, instanceId, log })
}

export const openMetricExport = async (
  settings: TracingVariables,
  registry: MetricsRegistry,
  { serviceName, instanceId, log }: ObservedProcess,
): Promise<MetricExport | null> => {
  const options = readMetricOptions(settings, serviceName)
  if (!options) return null
  const { startMetricExport } = await import('../observability/metrics-opentelemetry.ts')
  return startMetricExport({ ...options, registry, instanceId, log })
}

export const lastExportTimeoutMs = 2000

export const openLimitStore = async (
  { REDIS_URL, REDIS_CA }: Settings,
  { db }: Database,
  log: Log,
): Promise<LimitStore> =>
  REDIS_URL === undefined ? createPostgresLimitStore(db) : openRedisLimitStore(REDIS_URL, log, REDIS_CA)

const intervalMs = 1000

/** Refunds idle uses every second. The returned function stops this and refunds all that remain. */
export const startRefundingUses = (limits: SharedLimits) => {
  const { stop } = repeat('limits', () => limits.refundIdleUses(), intervalMs)
  return async () => {
    await stop()
    await limits.refundAllUses()
  }
}
