import * as z from 'zod'
import type { ExportedSpan } from './read-spans.ts'

const AnyValue = z.union([
  z.strictObject({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.strictObject({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }).transform(({ intValue }) => Number(intValue)),
  z.strictObject({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
])

const Attributes = z
  .array(z.strictObject({ key: z.string(), value: AnyValue }))
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, value])))

const TraceId = z.string().regex(/^[0-9a-f]{32}$/)
const SpanId = z.string().regex(/^[0-9a-f]{16}$/)
const Nanoseconds = z.string().regex(/^\d{19}$/)

const kinds = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const

// The JSON encoding of opentelemetry/proto/trace/v1/trace.proto: ids in hexadecimal, 64-bit numbers as text.
const Span = z.strictObject({
  traceId: TraceId,
  spanId: SpanId,
  parentSpanId: SpanId.optional(),
  traceState: z.string().optional(),
  flags: z.int(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: Nanoseconds,
  endTimeUnixNano: Nanoseconds,
  attributes: Attributes,
  links: z.array(z.strictObject({ traceId: TraceId, spanId: SpanId })),
  status: z.strictObject({ code: z.literal(2) }).optional(),
})

const Request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: Attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(Span),
        }),
      ),
    }),
  ),
})

/** Reads the spans in an OTLP `ExportTraceServiceRequest` in JSON. Throws if it is malformed. */
export const readJsonSpans = (body: Buffer): ExportedSpan[] =>
  Request.parse(JSON.parse(body.toString())).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ parentSpanId = '', kind, startTimeUnixNano, endTimeUnixNano, status, ...span }) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentId: parentSpanId,
        name: span.name,
        kind: kinds[kind] ?? 'internal',
        startNs: BigInt(startTimeUnixNano),
        endNs: BigInt(endTimeUnixNano),
        attributes: span.attributes,
        links: span.links,
        hasFailed: status !== undefined,
        resource: resource.attributes,
      })),
  )
