import type { Tracer } from '#shared/tracing/trace.ts'
import type { Log } from '../../observability/log.ts'
import { readTracingOptions, type TracingVariables } from '../../settings/tracing-options.ts'

interface TracedProcess {
  /** Unless the settings have another name. */
  readonly serviceName: string
  readonly instanceId: string
  readonly log: Log
}

/** Starts to record spans; null if no collector is configured: OpenTelemetry is not even loaded then. */
export const openTracing = async (
  settings: TracingVariables,
  { serviceName, instanceId, log }: TracedProcess,
): Promise<Tracer | null> => {
  const options = readTracingOptions(settings, serviceName)
  if (!options) return null
  const { startOpenTelemetry } = await import('../../adapters/tracing-opentelemetry/tracing-opentelemetry.ts')
  return startOpenTelemetry({ ...options, instanceId, log })
}

/** How long the last spans of a process that ends may take to reach the collector. */
export const lastExportTimeoutMs = 2000
