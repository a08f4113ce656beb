import { rowOf } from '#contracts/shared/row.ts'
import type { Trace, Tracer } from '#shared/tracing/trace.ts'
import { createUnsampledContext, parseTraceContext, traceIdIn } from '#shared/tracing/trace-context.ts'
import type { RouteMatch } from '../find-route.ts'

const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

interface TracedRequest {
  readonly method: string
  /** `name` in lower case. */
  header(name: string): string | undefined
}

/**
 * Begins the trace of a request or continues that of its client, whose decision to sample it is ignored. Without a tracer
 * the gateway is transparent: the core continues the span of the client.
 */
export const startRequestTrace = (
  tracer: Tracer | null,
  match: RouteMatch,
  request: TracedRequest,
): Trace => {
  const traceparent = request.header('traceparent')
  const parent =
    traceparent === undefined ? null : parseTraceContext(traceparent, request.header('tracestate'))
  if (tracer === null)
    return { identity: { traceId: parent && traceIdIn(parent), traceparent: null }, sent: parent, span: null }
  const knownMethod = knownMethods.has(request.method) ? request.method : '_OTHER'
  const label = match.kind === 'row' ? match.label : null
  const route = label ?? 'unmatched'
  const span = tracer.startTrace(`${knownMethod} ${route}`, {
    kind: 'server',
    parent,
    attributes: {
      'http.request.method': knownMethod,
      // The path with its placeholders: the path itself may contain tokens.
      'http.route': label === null ? undefined : rowOf(label).path,
      'crossfade.route': route,
    },
  })
  const sent = span?.context ?? createUnsampledContext(parent)
  return { identity: { traceId: traceIdIn(sent), traceparent: sent.traceparent }, sent, span }
}
