import {
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { Span, SpanAttributes, SpanStart } from '#shared/tracing/trace.ts'
import {
  createTraceContext,
  parentIdIn,
  sampledFlag,
  type TraceContext,
  traceIdIn,
} from '#shared/tracing/trace-context.ts'

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }

const toSpanContext = (context: TraceContext) => ({
  traceId: traceIdIn(context),
  spanId: parentIdIn(context),
  traceFlags: sampledFlag,
  isRemote: true,
})

/** What all spans of a trace share. */
interface Recording {
  readonly tracer: OtelTracer
  /** Sent along with every span. */
  readonly inherited: { readonly flags: number; readonly state: string | null }
  /** Whether one more span may wait for the collector. */
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
      if (recording.reserve()) span.end()
    },
  }
}

/** Starts this process's first span of a trace. `parent` is null if the trace begins here. */
export const startFirstSpan = (
  recording: Recording,
  name: string,
  start: SpanStart,
  parent: TraceContext | null,
  link: TraceContext | null,
): Span => {
  const context = parent ? trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent)) : ROOT_CONTEXT
  return wrapSpan(startSpan(recording, name, start, context, link), recording)
}
