import type { Span, SpanAttributes, SpanStart, Tracer } from '#shared/tracing/trace.ts'
import {
  createSpanId,
  createTraceContext,
  createTraceId,
  flagsIn,
  parentIdIn,
  randomFlag,
  sampledFlag,
  type TraceContext,
  traceIdIn,
} from '#shared/tracing/trace-context.ts'
import { ExportRejected } from './export-rejected.ts'
import { createThrottledLog, type Log, version } from './log.ts'

export interface SpanSenderOptions {
  /** Base URL of a collector that accepts OTLP over HTTP, without a trailing slash. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Readonly<Record<string, string>>
  readonly instanceId: string
  /** The share of traces to record, from 0 to 1. */
  readonly sampledShare: number
  readonly log: Pick<Log, 'error'>
}

export interface RequestTracer extends Pick<Tracer, 'startTrace'> {
  /** Call it after the last span has ended; never rejects. */
  send(): Promise<void>
}

class TooManySpans extends Error {
  override name = 'TooManySpans'
}

const maxSpans = 512
const exportTimeoutMs = 5000

// From opentelemetry/proto/trace/v1/trace.proto, with the names of its JSON encoding.
const internalKind = 1
const kinds = { server: 2, client: 3, consumer: 5 }
const failedStatus = { code: 2 }

const toValue = (value: string | number | boolean) => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

const toAttributes = (attributes: SpanAttributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value) }],
  )

const readTime = () => `${Date.now()}000000`

type SentSpan = Readonly<Record<string, unknown>>

interface Recording {
  readonly traceId: string
  readonly flags: number
  readonly state: string | null
  record(span: SentSpan): void
}

const startSpan = (
  recording: Recording,
  firstName: string,
  { kind, attributes: first = {} }: SpanStart,
  parentSpanId: string | null,
  links: readonly SentSpan[] = [],
): Span => {
  const { traceId, flags, state } = recording
  const spanId = createSpanId()
  const startTimeUnixNano = readTime()
  let name = firstName
  let attributes: SpanAttributes = { ...first }
  let hasFailed = false
  const span: Span = {
    context: createTraceContext(traceId, spanId, flags, state),
    startChild: (childName, start = {}) => startSpan(recording, childName, start, spanId),
    rename: (given) => {
      name = given
    },
    set: (added) => {
      attributes = { ...attributes, ...added }
    },
    fail(type) {
      span.set({ 'error.type': type })
      hasFailed = true
    },
    end: () =>
      recording.record({
        traceId,
        spanId,
        ...(parentSpanId !== null && { parentSpanId }),
        ...(state !== null && { traceState: state }),
        flags,
        name,
        kind: kind === undefined ? internalKind : kinds[kind],
        startTimeUnixNano,
        endTimeUnixNano: readTime(),
        attributes: toAttributes(attributes),
        links,
        ...(hasFailed && { status: failedStatus }),
      }),
  }
  return span
}

const toLink = (context: TraceContext) => ({ traceId: traceIdIn(context), spanId: parentIdIn(context) })

/**
 * OpenTelemetry's SDK would be eight times as large, and it exports in the background of a process, which a Worker does
 * not have.
 */
export const createSpanSender = ({
  endpoint,
  headers,
  resource,
  instanceId,
  sampledShare,
  log,
}: SpanSenderOptions) => {
  const logThrottled = createThrottledLog(log)
  const ofIsolate = {
    attributes: toAttributes({ ...resource, 'service.version': version, 'service.instance.id': instanceId }),
  }

  const post = async (spans: readonly SentSpan[]) => {
    const scopeSpans = [{ scope: { name: 'crossfade', version }, spans }]
    const response = await fetch(`${endpoint}/v1/traces`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ resourceSpans: [{ resource: ofIsolate, scopeSpans }] }),
      // Following a redirect would send the collector's key to a different host.
      redirect: 'manual',
      signal: AbortSignal.timeout(exportTimeoutMs),
    })
    await response.body?.cancel()
    if (!response.ok) throw new ExportRejected('SpansRejected', response.status)
  }

  return {
    startRequest(): RequestTracer {
      const spans: SentSpan[] = []
      const record = (span: SentSpan) => {
        if (spans.length < maxSpans) spans.push(span)
        else logThrottled(new TooManySpans(), 'spans dropped')
      }
      return {
        startTrace(name, { parent = null, link = null, isSampled, ...start }) {
          // Decides at random instead of by the trace id, because an untrusted client may have chosen that.
          if (!(isSampled ?? Math.random() < sampledShare)) return null
          const recording: Recording = {
            traceId: parent ? traceIdIn(parent) : createTraceId(),
            flags: sampledFlag | (parent ? flagsIn(parent) & randomFlag : randomFlag),
            state: parent?.state ?? null,
            record,
          }
          const parentId = parent && parentIdIn(parent)
          return startSpan(recording, name, start, parentId, link ? [toLink(link)] : [])
        },
        async send() {
          if (spans.length === 0) return
          await post(spans.splice(0)).catch((error) => logThrottled(error, 'failed to export spans'))
        },
      }
    },
  }
}

export type SpanSender = ReturnType<typeof createSpanSender>
