import {
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import {
  runOutsideTraces,
  type Span,
  type SpanAttributes,
  type SpanStart,
  type Tracer,
} from '#shared/tracing/trace.ts'
import {
  createTraceContext,
  flagsIn,
  parentIdIn,
  randomFlag,
  sampledFlag,
  type TraceContext,
  traceIdIn,
} from '#shared/tracing/trace-context.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import { toLoggedRejection } from './export-rejected.ts'
import { createThrottledLog, version } from './log.ts'
import type { SpanSenderOptions } from './tracing-fetch.ts'

const maxSpans = 2048
const maxBatchSpans = 512
const batchDelayMs = 1000
const exportTimeoutMs = 5000

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }

const toSpanContext = (context: TraceContext) => ({
  traceId: traceIdIn(context),
  spanId: parentIdIn(context),
  traceFlags: sampledFlag,
  isRemote: true,
})

interface Recording {
  readonly tracer: OtelTracer
  readonly inherited: { readonly flags: number; readonly state: string | null }
  reserve(): boolean
}

const selectDefined = (attributes: SpanAttributes) =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

const startSpan = (
  { tracer }: Recording,
  name: string,
  { kind, attributes = {} }: SpanStart,
  parent: Context,
  link: TraceContext | null = null,
) =>
  tracer.startSpan(
    name,
    {
      kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind],
      attributes: selectDefined(attributes),
      ...(link ? { links: [{ context: toSpanContext(link) }] } : {}),
    },
    parent,
  )

const wrapSpan = (span: OtelSpan, recording: Recording): Span => {
  const { traceId, spanId } = span.spanContext()
  const { flags, state } = recording.inherited
  return {
    context: createTraceContext(traceId, spanId, flags, state),
    startChild: (name, start = {}) =>
      wrapSpan(startSpan(recording, name, start, trace.setSpan(ROOT_CONTEXT, span)), recording),
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(selectDefined(attributes)),
    fail(type) {
      span.setAttribute('error.type', type)
      span.setStatus({ code: SpanStatusCode.ERROR })
    },
    end() {
      // The spans of many requests are sent together, so a failure to do so belongs to none of them.
      if (recording.reserve()) runOutsideTraces(() => span.end())
    },
  }
}

class SpanQueueFull extends Error {
  override name = 'SpanQueueFull'
}

const createBoundedExporter = (
  exporter: SpanExporter,
  logThrottled: ReturnType<typeof createThrottledLog>,
) => {
  let waiting = 0
  let lost = 0
  return {
    lost: () => lost,
    /** Call it before ending a span. Returns false if the span must be dropped. */
    reserve() {
      if (waiting >= maxSpans) {
        lost += 1
        logThrottled(new SpanQueueFull(), 'spans dropped')
        return false
      }
      waiting += 1
      return true
    },
    exporter: {
      export: (spans: ReadableSpan[], onResult: Parameters<SpanExporter['export']>[1]) =>
        exporter.export(spans, (result) => {
          waiting -= spans.length
          if (result.error) {
            lost += spans.length
            logThrottled(toLoggedRejection('SpansRejected', result.error), 'failed to export spans')
          }
          onResult(result)
        }),
      shutdown: () => exporter.shutdown(),
    },
  }
}

/** A slow or absent collector delays nothing: once 2,048 spans wait, more are dropped. */
export const startOpenTelemetry = (options: SpanSenderOptions): Tracer => {
  const logThrottled = createThrottledLog(options.log)
  const { reserve, exporter, lost } = createBoundedExporter(
    new OTLPTraceExporter({
      url: `${options.endpoint}/v1/traces`,
      headers: { ...options.headers },
      timeoutMillis: exportTimeoutMs,
      // All batches that may wait, plus a partial one that the timer sent before them.
      concurrencyLimit: maxSpans / maxBatchSpans + 1,
    }),
    logThrottled,
  )
  const provider = new TracerProvider({
    // Samples every span, because `startTrace` has already decided which traces are recorded.
    sampler: new AlwaysOnSampler(),
    resource: resourceFromAttributes({
      ...options.resource,
      'service.version': version,
      'service.instance.id': options.instanceId,
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
  // Once one batch fails, the provider's `shutdown` does not wait for the others.
  const exportRest = () => provider.shutdown().catch(() => exporter.shutdown())
  const tracer = provider.getTracer('crossfade', version)
  return {
    startTrace(name, { parent = null, link = null, isSampled, ...start }) {
      // Decides at random instead of by the trace id, because an untrusted client may have chosen that.
      if (!(isSampled ?? Math.random() < options.sampledShare)) return null
      const flags = sampledFlag | (parent ? flagsIn(parent) & randomFlag : randomFlag)
      const recording = { tracer, inherited: { flags, state: parent?.state ?? null }, reserve }
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent)) : ROOT_CONTEXT
      return wrapSpan(startSpan(recording, name, start, context, link), recording)
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
