import { traceIdOf } from '#shared/tracing/trace.ts'
import type { RejectedRequest } from '../edge/inspect-request.ts'
import { type Log, logRequest, type NameAccount } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { type RequestContext, RequestOutcome } from '../request/context.ts'
import type { CompletedRequest, RequestObserver } from '../request/route-control.ts'
import { endRequestSpan } from '../request/trace.ts'

interface ObserverDependencies {
  readonly metrics: Metrics
  readonly log: Log
}

interface ObserverOptions extends ObserverDependencies {
  readonly control: RequestObserver
  readonly nameAccount: NameAccount
  readonly isLogged: (request: CompletedRequest) => boolean
}

export const createObservers = ({
  control,
  metrics,
  log,
  nameAccount,
  isLogged,
}: ObserverOptions): RequestObserver => ({
  settled: (result) => control.settled(result),

  ended(completed) {
    control.ended(completed)
    const { context, status, durationMs } = completed
    const { outcome, trace, verifiedToken } = context
    metrics.observe(outcome, status, durationMs / 1000)
    if (isLogged(completed)) {
      const account = verifiedToken === null ? undefined : nameAccount(verifiedToken.actor.accountId)
      logRequest(log, context, status, durationMs, account)
    }
    if (trace.span !== null) endRequestSpan(trace.span, outcome, status)
  },
})

export const settleNative = ({ settled }: RequestObserver, { outcome, isWarmUp }: RequestContext) => {
  const { label, epoch, nativeResult: result, nativeMs: durationMs } = outcome
  if (label === 'unmatched' || result === null || isWarmUp) return
  settled({ side: 'native', label, epoch, result, durationMs })
}

/**
 * Reports nothing if the client left before the response, or if the fallback had a cause that the route cannot
 * influence.
 */
export const settleCore = ({ settled }: RequestObserver, context: RequestContext) => {
  const { label, epoch, runtime, fallbackReason, error, status = 0, nativeResult, nativeMs } = context.outcome
  if (label === 'unmatched' || context.isWarmUp) return
  if (nativeResult === 'fell-back') {
    if (nativeMs === null) return
  } else {
    const wasNativeTried =
      fallbackReason !== null && fallbackReason !== 'breaker' && fallbackReason !== 'earlier_attempt'
    if (runtime !== 'proxy' || wasNativeTried || status === 0 || status === 499) return
  }
  const failed = status >= 500 || error === 'core_bad_response'
  settled({ side: 'core', label, epoch, failed, durationMs: context.durationMs(), nativeMs })
}

export const recordRejection = ({ metrics, log }: ObserverDependencies, rejection: RejectedRequest) => {
  const { code: error, status, reason, requestId, trace } = rejection
  const outcome = { ...new RequestOutcome(), error }
  metrics.observe(outcome, status, 0)
  if (reason === 'method_override') metrics.countMethodOverride()
  const { label: route, runtime, reason: routingReason } = outcome
  const traceId = traceIdOf(trace)
  log.info({ requestId, traceId, route, runtime, reason: routingReason, status, error }, 'request rejected')
}
