import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { ForwardOutcome } from '#proxy/core-request.ts'
import { endWith, type Span, type Trace, type Tracer } from '#shared/tracing/trace.ts'
import { createUnsampledContext, parseTraceContext, traceIdIn } from '#shared/tracing/trace-context.ts'
import type { RequestContext, RequestOutcome } from './context.ts'
import { allMethods } from './response.ts'

const knownMethods: ReadonlySet<string> = new Set(allMethods.split(', '))

const nameMethod = (method: string) => (knownMethods.has(method) ? method : '_OTHER')

interface TracedRequest {
  readonly method: string
  header(name: string): string | undefined
}

/**
 * Begins a trace, or continues the client's trace even if its sampling flag is off. Without a tracer, the core
 * continues the client's span directly.
 */
export const startRequestTrace = (
  tracer: Pick<Tracer, 'startTrace'> | null,
  request: TracedRequest,
): Trace => {
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

export const nameRequestSpan = ({ span }: Trace, method: string, label: Label) => {
  if (span === null) return
  span.rename(`${nameMethod(method)} ${label}`)
  // The path pattern, because the path itself may contain tokens.
  span.set({ 'http.route': rowOf(label).path, 'crossfade.route': label })
}

export const endRequestSpan = (span: Span, outcome: RequestOutcome, status: number) => {
  span.set({
    'http.response.status_code': status,
    'crossfade.runtime': outcome.runtime,
    'crossfade.reason': outcome.reason,
    'crossfade.fallback': outcome.fallbackReason !== null,
    'crossfade.fallback_reason': outcome.fallbackReason ?? undefined,
    'error.type': outcome.error,
  })
  // anything lower is the client's error
  if (status >= 500) span.fail(outcome.error ?? String(status))
  span.end()
}

export const startCoreSpan = ({ trace, outcome }: Pick<RequestContext, 'trace' | 'outcome'>): Span | null =>
  trace.span?.startChild('core', { kind: 'client', attributes: { 'crossfade.route': outcome.label } }) ?? null

const findFailure = (outcome: ForwardOutcome | Response): string | null => {
  if ('kind' in outcome) {
    if (outcome.kind === 'failed') return outcome.code
    if (outcome.kind === 'truncated') return 'core_bad_response'
    if (outcome.kind === 'client-gone') return 'client_gone'
  }
  return outcome.status >= 500 ? String(outcome.status) : null
}

const describeOutcome = <T extends ForwardOutcome | Response>(span: Span, outcome: T): T => {
  if ('status' in outcome) span.set({ 'http.response.status_code': outcome.status })
  const failure = findFailure(outcome)
  if (failure !== null) span.fail(failure)
  return outcome
}

export const forwardInSpan = <T extends ForwardOutcome | Response>(
  span: Span,
  forward: () => Promise<T>,
): Promise<T> => {
  const run = async () => describeOutcome(span, await forward())
  return endWith(span, run())
}
