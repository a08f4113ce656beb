import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Tracer } from '#shared/tracing/trace.ts'
import { flagsIn, randomFlag, sampledFlag } from '#shared/tracing/trace-context.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import { createThrottledLog, type Log, version } from '../log.ts'
import { createBoundedExporter } from './bounded-exporter.ts'
import { startFirstSpan } from './span.ts'

export interface OpenTelemetryOptions {
  /** Base URL of a collector that accepts OTLP over HTTP, without a trailing slash. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** What spans say about their process, such as `service.name`. */
  readonly resource: Readonly<Record<string, string>>
  readonly instanceId: string
  /** The share of traces to record, from 0 to 1. */
  readonly sampledShare: number
  readonly log: Log
}

const maxSpans = 2048
const maxBatchSpans = 512
const batchDelayMs = 1000
const exportTimeoutMs = 5000

const createProvider = (
  { resource, instanceId }: OpenTelemetryOptions,
  exporter: ReturnType<typeof createBoundedExporter>['exporter'],
) =>
  new TracerProvider({
    // Samples every span, because `startTrace` has already decided which traces are recorded.
    sampler: new AlwaysOnSampler(),
    resource: resourceFromAttributes({
      ...resource,
      'service.version': version,
      'service.instance.id': instanceId,
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: maxSpans,
        maxExportBatchSize: maxBatchSpans,
        scheduledDelayMillis: batchDelayMs,
        exportTimeoutMillis: 2 * exportTimeoutMs,
      }),
    ],
  })

/**
 * Records spans with OpenTelemetry and sends them to a collector in batches. A slow or absent collector delays nothing:
 * once 2,048 spans wait, more are dropped.
 */
export const startOpenTelemetry = (options: OpenTelemetryOptions): Tracer => {
  const logThrottled = createThrottledLog(options.log)
  const { reserve, exporter, lost } = createBoundedExporter(
    new OTLPTraceExporter({
      url: `${options.endpoint}/v1/traces`,
      headers: { ...options.headers },
      timeoutMillis: exportTimeoutMs,
      // All batches that may wait, plus a partial one that the timer sent before them.
      concurrencyLimit: maxSpans / maxBatchSpans + 1,
    }),
    maxSpans,
    logThrottled,
  )
  const provider = createProvider(options, exporter)
  // Once one batch fails, the provider's `shutdown` does not wait for the others.
  const exportRest = () => provider.shutdown().catch(() => exporter.shutdown())
  const tracer = provider.getTracer('crossfade', version)
  return {
    startTrace(name, { parent = null, link = null, isSampled, ...start }) {
      // Decides at random instead of by the trace id, because an untrusted client may have chosen that.
      if (!(isSampled ?? Math.random() < options.sampledShare)) return null
      const flags = sampledFlag | (parent ? flagsIn(parent) & randomFlag : randomFlag)
      const inherited = { flags, state: parent?.state ?? null }
      return startFirstSpan({ tracer, inherited, reserve }, name, start, parent, link)
    },
    lostSpans: lost,
    close: (timeoutMs) =>
      withTimeout(
        timeoutMs,
        exportRest().catch(() => undefined),
        () => undefined,
      ),
  }
}
