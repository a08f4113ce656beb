import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Trace, Tracer } from '#shared/tracing/trace.ts'
import { createUnsampledContext, parseTraceContext, traceIdIn } from '#shared/tracing/trace-context.ts'

const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

const nameMethod = (method: string) => (knownMethods.has(method) ? method : '_OTHER')

interface TracedRequest {
  readonly method: string
  /** `name` in lower case. */
  header(name: string): string | undefined
}

/**
 * Begins the trace of a request or continues that of its client, whose decision to sample it is ignored. Without a tracer
 * the gateway is transparent: the core continues the span of the client.
 */
export const startRequestTrace = (tracer: Tracer | null, request: TracedRequest): Trace => {
  const traceparent = request.header('traceparent')
  const parent =
    traceparent === undefined ? null : parseTraceContext(traceparent, request.header('tracestate'))
  if (tracer === null)
    return { identity: { traceId: parent && traceIdIn(parent), traceparent: null }, sent: parent, span: null }
  const method = nameMethod(request.method)
  const span = tracer.startTrace(`${method} unmatched`, {
    kind: 'server',
    parent,
    attributes: { 'http.request.method': method, 'crossfade.route': 'unmatched' },
  })
  const sent = span?.context ?? createUnsampledContext(parent)
  return { identity: { traceId: traceIdIn(sent), traceparent: sent.traceparent }, sent, span }
}

/** Names the span of a request after its route. */
export const nameRequestSpan = ({ span }: Trace, method: string, label: Label) => {
  if (span === null) return
  span.rename(`${nameMethod(method)} ${label}`)
  // The path with its placeholders: the path itself may contain tokens.
  span.set({ 'http.route': rowOf(label).path, 'crossfade.route': label })
}
