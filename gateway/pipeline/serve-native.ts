import { ApiError } from '#contracts/errors.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { NotPortedError } from '#native-routes/define-route.ts'
import type { Ports } from '#native-routes/ports.ts'
import { ClientGoneError } from '../node/read-body.ts'
import { describeError, type Log } from '../observability/log.ts'
import type { RequestContext } from '../request/context.ts'
import type { NativeDecision } from '../request/decide.ts'
import { emptyResponse, errorResponse, type GatewayResponse } from '../request/response.ts'
import type { RouteBreaker } from '../request/route-breaker.ts'
import { bufferEvents } from './buffer-events.ts'
import { createEffectTracker, type EffectTracker } from './effect-tracker.ts'
import { type NativeDependencies, runNative } from './run-native.ts'
import { isDependencyFailure, NativeTimeout, toApiError } from './to-api-error.ts'

export interface ServeNativeDependencies extends NativeDependencies {
  readonly log: Log
  readonly hasCore: boolean
  readonly nativeTimeoutMs: number
  /** How long a body may take to arrive. */
  readonly bodyTimeoutMs: number
  readonly routeBreaker: RouteBreaker
}

/** `fall-back`: native surely had no effect, and the core may serve the request instead. */
export type NativeOutcome = GatewayResponse | 'fall-back'

// The clock stands still while the client sends its body: how long that may take is bounded where it is read, and a
// slow client is no reason to take native for failing.
const withDeadline = <T>(
  exchange: RequestContext,
  { nativeTimeoutMs, bodyTimeoutMs }: Pick<ServeNativeDependencies, 'nativeTimeoutMs' | 'bodyTimeoutMs'>,
  work: (exchange: RequestContext) => Promise<T>,
): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const expire = () => reject(new NativeTimeout(`no answer within ${nativeTimeoutMs} ms`))
    let timer = setTimeout(expire, nativeTimeoutMs)
    const readBody = async () => {
      clearTimeout(timer)
      try {
        return await exchange.readBody(bodyTimeoutMs)
      } finally {
        timer = setTimeout(expire, nativeTimeoutMs)
      }
    }
    const settled =
      <V>(settle: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer)
        settle(value)
      }
    work({ ...exchange, readBody }).then(settled(resolve), settled(reject))
  })

// Reading twice is harmless, so any failure of a route without effects may be answered by the core. Engagement
// events are recorded after the answer, so those routes count as such until then. A write is given away only
// when what it leans on failed it before it did anything.
const mayFallBack = (decision: NativeDecision, error: unknown, tracker: EffectTracker) => {
  if (decision.kind !== 'native' || tracker.state() !== 'clean') return false
  const { runtime, effects } = rowOf(decision.label)
  if (runtime !== 'native') return false
  if (isDependencyFailure(error)) return true
  const isReading = effects === 'none' || effects === 'events'
  return isReading && !(error instanceof ApiError)
}

const reportFailure = (
  error: unknown,
  refusal: ApiError,
  exchange: RequestContext,
  tracker: EffectTracker,
  log: Log,
) => {
  if (refusal === error && refusal.cause === undefined) return
  const unknownOutcome = tracker.state() === 'maybe'
  log.error(
    {
      requestId: exchange.requestId,
      route: exchange.outcome.label,
      answered: refusal.code,
      ...(error instanceof NotPortedError ? { reason: 'not_ported' } : {}),
      ...(unknownOutcome ? { outcome: 'outcome_unknown' } : {}),
      failure: describeError(error),
    },
    'native route failed',
  )
}

/** Serves a request natively, whatever happens: the answer is a body of the contract or one of its errors. */
export const serveNative = async (
  decision: NativeDecision,
  exchange: RequestContext,
  parts: ServeNativeDependencies,
  ports: Ports,
): Promise<NativeOutcome> => {
  const note = (fellBack: boolean) => {
    if (decision.kind === 'native') parts.routeBreaker.record(decision.label, fellBack)
  }
  const tracker = createEffectTracker()
  const events = bufferEvents(ports.events)
  const tracked = { ...tracker.track(ports), events: events.port }
  try {
    const answer = await withDeadline(exchange, parts, (timed) => runNative(decision, timed, parts, tracked))
    // HEAD asks what GET would answer; nobody has been given anything.
    if (exchange.method !== 'HEAD') await events.flush()
    note(false)
    return answer
  } catch (error) {
    tracker.abandon()
    // Nobody is left to be answered, and native has not failed.
    if (error instanceof ClientGoneError) return emptyResponse(499)
    const refusal = toApiError(error, decision, exchange.path)
    reportFailure(error, refusal, exchange, tracker, parts.log)
    if (parts.hasCore && mayFallBack(decision, error, tracker)) {
      // A token that cannot be judged says nothing of native: strangers would switch it off for everybody else.
      if (refusal.code !== 'authentication_unavailable') note(true)
      return 'fall-back'
    }
    note(false)
    exchange.outcome.error = refusal.code
    return errorResponse(refusal)
  }
}
