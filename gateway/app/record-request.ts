import type { ErrorCode } from '#contracts/errors.ts'
import { type Trace, traceIdOf } from '#shared/tracing/trace.ts'
import type { EdgeRejection } from '../edge/inspect-request.ts'
import type { CoreUsageRecorder } from '../observability/core-usage-recorder.ts'
import { logRequest, type RequestLog } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { RequestCounter } from '../observability/request-counter.ts'
import type { NameAccount } from '../ports/account-names.ts'
import { createInitialOutcome, type RequestContext, type RequestOutcome } from '../request/context.ts'
import type { NativeStops } from '../request/native-stops.ts'
import { endRequestSpan } from '../request/trace/request-span.ts'

interface Observers {
  readonly metrics: Metrics
  readonly log: RequestLog
}

// A client that disconnected says nothing about the core. Fallbacks are recorded with what native did.
const recordCore = (stops: NativeStops, outcome: RequestOutcome, status: number, durationMs: number) => {
  const { label, runtime, fallbackReason, error, epoch } = outcome
  if (label === 'unmatched' || runtime !== 'proxy' || status === 499) return
  if (fallbackReason !== null && fallbackReason !== 'breaker') return
  stops.recordCore(label, status >= 500 || error === 'core_bad_response', durationMs, epoch)
}

interface RequestObservers extends Observers {
  readonly stops: NativeStops
  readonly nameAccount: NameAccount
  /** Absent on Workers. */
  readonly counter?: RequestCounter
  /** Absent on Workers, and without a core. */
  readonly coreUsage?: CoreUsageRecorder | undefined
}

/** Records a completed request in the metrics, the log, its trace, the counts and what stops failing routes. */
export const recordRequest = (
  { metrics, log, stops, nameAccount, counter, coreUsage }: RequestObservers,
  context: RequestContext,
  status: number,
) => {
  const durationMs = context.durationMs()
  const { outcome } = context
  recordCore(stops, outcome, status, durationMs)
  counter?.record(outcome.label, outcome.runtime, status, durationMs)
  coreUsage?.record(context, status)
  metrics.observe(outcome, status, durationMs / 1000)
  const { verifiedToken } = context
  const account = verifiedToken === null ? undefined : nameAccount(verifiedToken.actor.accountId)
  logRequest(log, context, status, durationMs, account)
  const { span } = context.trace
  if (span !== null) endRequestSpan(span, outcome, status)
}

interface Rejection {
  readonly code: ErrorCode
  readonly status: number
  readonly reason: EdgeRejection
  readonly requestId: string
  readonly trace: Trace
}

/** Records a request that was rejected at the edge in the metrics and the log. */
export const recordRejection = ({ metrics, log }: Observers, rejection: Rejection) => {
  const { code: error, status, reason, requestId, trace } = rejection
  const outcome = { ...createInitialOutcome({ kind: 'no-row', nativeOnly: false }), error }
  metrics.observe(outcome, status, 0)
  if (reason === 'method_override') metrics.countMethodOverride()
  const { label: route, runtime, reason: routingReason } = outcome
  const traceId = traceIdOf(trace)
  log.info({ requestId, traceId, route, runtime, reason: routingReason, status, error }, 'request rejected')
}
