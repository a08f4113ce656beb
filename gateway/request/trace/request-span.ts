import type { Span } from '#shared/tracing/trace.ts'
import type { RequestOutcome } from '../context.ts'

/** Ends the span of a request with what its log line says. */
export const endRequestSpan = (span: Span, outcome: RequestOutcome, status: number) => {
  span.set({
    'http.response.status_code': status,
    'crossfade.runtime': outcome.runtime,
    'crossfade.reason': outcome.reason,
    'crossfade.fallback': outcome.fallbackReason !== null,
    'crossfade.fallback_reason': outcome.fallbackReason ?? undefined,
    'error.type': outcome.error,
  })
  // Others are the client's errors.
  if (status >= 500) span.fail(outcome.error ?? String(status))
  span.end()
}
