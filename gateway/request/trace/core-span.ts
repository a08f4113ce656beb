import type { ForwardOutcome, UpstreamRequest } from '#proxy/upstream-request.ts'
import { endWith, type Span } from '#shared/tracing/trace.ts'
import type { RequestContext } from '../context.ts'

/** Starts the span of a request to the core; null if none is recorded. */
export const startCoreSpan = ({ trace, outcome }: Pick<RequestContext, 'trace' | 'outcome'>): Span | null =>
  trace.span?.startChild('core', { kind: 'client', attributes: { 'crossfade.route': outcome.label } }) ?? null

/** The request as the core continues `span`. */
export const continueSpan = (request: UpstreamRequest, span: Span): UpstreamRequest => ({
  ...request,
  trace: span.context,
})

const describeOutcome = (span: Span, outcome: ForwardOutcome) => {
  if ('status' in outcome) span.set({ 'http.response.status_code': outcome.status })
  if (outcome.kind === 'failed') span.fail(outcome.code)
  else if (outcome.kind === 'truncated') span.fail('core_bad_response')
  else if (outcome.kind === 'client-gone') span.fail('client_gone')
  else if (outcome.status >= 500) span.fail(String(outcome.status))
  return outcome
}

/** Sends a request to the core and ends `span` with its outcome, or with the error that `forward` throws. */
export const forwardInSpan = (
  span: Span,
  forward: () => Promise<ForwardOutcome>,
): Promise<ForwardOutcome> => {
  const run = async () => describeOutcome(span, await forward())
  return endWith(span, run())
}
