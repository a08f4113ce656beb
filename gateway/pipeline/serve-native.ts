import { ApiError } from '#contracts/errors.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Ports } from '#native-routes/ports.ts'
import { describeError } from '#shared/describe-error.ts'
import { traceIdOf } from '#shared/tracing/trace.ts'
import { createThrottle, type Log } from '../observability/log.ts'
import { ClientGoneError, type RequestContext } from '../request/context.ts'
import type { LocalDecision } from '../request/decide.ts'
import type { FallbackReason } from '../request/outcome.ts'
import type { NativeSide, ResponseOrFallback } from '../request/platform.ts'
import { emptyResponse, errorResponse, type GatewayResponse } from '../request/response.ts'
import type { NativeResult } from '../request/route-control.ts'
import { UnauthorizedError } from './authenticate.ts'
import { findReplay, findReplayAfterError, type ReplayDependencies } from './idempotency/find-replay.ts'
import { ForwardedEarlier } from './idempotency/stored-response.ts'
import { addRateLimitHeaders, recordExceeded } from './limits.ts'
import { rejectRequest } from './reject-request.ts'
import { createReadingPorts, openRequestPorts, type RequestPorts } from './request-ports.ts'
import { type HandlersByLabel, type ReadBody, type RouteDependencies, runRoute } from './run-route.ts'
import { createCancellation, startStream } from './streams/run-stream.ts'
import { findDependencyFailure, isCausedOutsideRoute, NativeTimeout, toApiError } from './to-api-error.ts'

export interface NativeSideDependencies extends RouteDependencies, ReplayDependencies {
  readonly log: Log
  readonly nativeTimeoutMs: number
  /** The timeout of the whole body. */
  readonly bodyTimeoutMs: number
  /** The timeout of a stream, for which `nativeTimeoutMs` is too short. */
  readonly streamTimeoutMs: number
  /** The interval of comments in a stream. */
  readonly heartbeatMs?: number
}

const defaultHeartbeatMs = 15_000

// A read can be repeated, so the core may serve a read after any failure. Engagement events are recorded after the
// response, so the routes that record them count as reads until then. The core may serve a write only when a dependency
// failed before any effect. Null if the request must not fall back.
const findFallbackReason = (
  decision: LocalDecision,
  error: unknown,
  requestPorts: Pick<RequestPorts, 'state'>,
): FallbackReason | null => {
  if (decision.kind !== 'native' || !decision.mayFallBack || requestPorts.state() !== 'clean') return null
  if (error instanceof ForwardedEarlier) return 'earlier_attempt'
  const { effects } = rowOf(decision.label)
  const dependencyFailure = findDependencyFailure(error)
  if (dependencyFailure !== null) return dependencyFailure
  const isRead = effects === 'none' || effects === 'events'
  return isRead && !(error instanceof ApiError) ? 'bug' : null
}

/**
 * Creates the log of failures. What fails the same way on a route again and again is throttled, unless an effect may have
 * happened: someone may have to look at each of those.
 */
const createFailureLog = (log: Log) => {
  const throttle = createThrottle()
  return (
    error: unknown,
    apiError: ApiError,
    fallbackReason: FallbackReason | null,
    { requestId, trace, outcome }: RequestContext,
    requestPorts: Pick<RequestPorts, 'state'>,
  ) => {
    if (apiError === error && apiError.cause === undefined) return
    const failure = describeError(error)
    const isUnknown = requestPorts.state() === 'maybe'
    const repeated = isUnknown
      ? { outcome: 'outcome_unknown' }
      : throttle([outcome.label, apiError.code, fallbackReason, failure.name, failure.code])
    if (repeated === null) return
    log.error(
      {
        requestId,
        traceId: traceIdOf(trace),
        route: outcome.label,
        error: apiError.code,
        ...(fallbackReason === null ? {} : { fallbackReason }),
        ...repeated,
        failure,
      },
      'native route failed',
    )
  }
}

type LogFailure = ReturnType<typeof createFailureLog>

// What native is paused and stopped for. Only a request of a row says anything about a route.
const recordResult = (
  { kind }: LocalDecision,
  context: RequestContext,
  result: NativeResult,
  error?: unknown,
) => {
  const { outcome } = context
  if (kind !== 'native') return
  outcome.nativeResult = result
  outcome.nativeMs =
    error !== undefined && isCausedOutsideRoute(error) ? null : context.durationMs() - outcome.bodyMs
}

/** The stored response of a duplicate that was faster, or the error that is to be responded with. */
const resolveError = async (
  error: unknown,
  decision: LocalDecision,
  context: RequestContext,
  log: Log,
  ports: Ports,
  fallsBack: boolean,
): Promise<{ readonly replay: GatewayResponse | null; readonly error: unknown }> => {
  if (decision.kind !== 'native') return { replay: null, error }
  try {
    const replay = await findReplayAfterError(error, decision.label, context, log, ports, fallsBack)
    return { replay, error }
  } catch (failure) {
    return { replay: null, error: failure }
  }
}

interface Deadline {
  readonly timeoutMs: number
  /** The timeout of the whole body. */
  readonly bodyTimeoutMs: number
  /** Called when the deadline has passed. */
  readonly onExpired?: ((error: NativeTimeout) => void) | undefined
}

/**
 * Rejects with `NativeTimeout` unless `work` ends in time. The deadline is paused while the client sends its body, which
 * has its own timeout: a slow client must not count as a failure of native.
 */
const withDeadline = <T>(
  context: RequestContext,
  { timeoutMs, bodyTimeoutMs, onExpired }: Deadline,
  work: (readBody: ReadBody) => Promise<T>,
): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const expire = () => {
      const error = new NativeTimeout(`no result within ${timeoutMs} ms`)
      onExpired?.(error)
      reject(error)
    }
    let timer = setTimeout(expire, timeoutMs)
    const readBody = async () => {
      clearTimeout(timer)
      const startedAt = context.durationMs()
      try {
        return await context.readBody(bodyTimeoutMs)
      } finally {
        context.outcome.bodyMs += context.durationMs() - startedAt
        timer = setTimeout(expire, timeoutMs)
      }
    }
    work(readBody)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })

/** Records the error of a response for the log. */
const recordErrorCode = ({ outcome }: RequestContext, apiError: ApiError) => {
  outcome.error = apiError.code
  if (apiError instanceof UnauthorizedError) outcome.unauthorizedReason = apiError.reason
}

/** Serves a request natively. Never throws: an error becomes the response that the contract defines for it. */
const serveNative = async (
  decision: LocalDecision,
  context: RequestContext,
  handlers: HandlersByLabel,
  dependencies: NativeSideDependencies & { readonly logFailure: LogFailure },
  ports: Ports,
): Promise<ResponseOrFallback> => {
  const handler = decision.kind === 'native' ? handlers[decision.label] : undefined
  const { credentials, log, logFailure, nativeTimeoutMs, bodyTimeoutMs, streamTimeoutMs } = dependencies
  const { heartbeatMs = defaultHeartbeatMs } = dependencies
  const requestPorts =
    decision.kind === 'native' ? openRequestPorts(ports, decision.label) : createReadingPorts(ports)
  const isStream = handler?.kind === 'stream'
  const cancellation = isStream ? createCancellation(context) : null
  const reportStreamError = (error: unknown) => {
    const apiError = toApiError(error, decision, context.path)
    logFailure(error, apiError, null, context, requestPorts)
    recordResult(decision, context, apiError.status >= 500 ? 'failed' : 'served', error)
    recordErrorCode(context, apiError)
    return apiError
  }
  try {
    const deadline = { timeoutMs: isStream ? streamTimeoutMs : nativeTimeoutMs, bodyTimeoutMs }
    const response = await withDeadline(
      context,
      { ...deadline, onExpired: cancellation?.cancel },
      (readBody) =>
        decision.kind === 'native'
          ? runRoute(
              { label: decision.label, handler, context, readBody, requestPorts, cancellation },
              dependencies,
            )
          : rejectRequest(decision, context, credentials, ports),
    )
    // HEAD delivers nothing that could be viewed or played.
    if (context.method !== 'HEAD') await requestPorts.flushEvents()
    recordResult(decision, context, 'served')
    return 'events' in response
      ? startStream(response, { timeoutMs: streamTimeoutMs, heartbeatMs }, reportStreamError)
      : addRateLimitHeaders(response, context)
  } catch (thrown) {
    // The signal ends the work of a stream, which then records what it used, unless the core serves the request.
    if (!isStream) requestPorts.abandon()
    // The client has disconnected: there is no one to respond to, and native has not failed.
    if (thrown instanceof ClientGoneError) return emptyResponse(499)
    const intended = findFallbackReason(decision, thrown, requestPorts)
    // Before the core can get the request.
    if (intended !== null) requestPorts.abandon()
    const { replay, error } = await resolveError(thrown, decision, context, log, ports, intended !== null)
    const fallbackReason = error === thrown ? intended : findFallbackReason(decision, error, requestPorts)
    if (replay) {
      context.outcome.isReplayed = true
      recordResult(decision, context, 'served')
      return addRateLimitHeaders(replay, context)
    }
    const apiError = toApiError(error, decision, context.path)
    logFailure(error, apiError, fallbackReason, context, requestPorts)
    // No result of native: otherwise a client could pause a route by sending tokens that cannot be verified, or retries.
    if (fallbackReason === 'authentication' || fallbackReason === 'earlier_attempt') return fallbackReason
    if (fallbackReason !== null) {
      recordResult(decision, context, 'fell-back', error)
      return fallbackReason
    }
    recordResult(decision, context, apiError.status >= 500 ? 'failed' : 'served', error)
    recordErrorCode(context, apiError)
    recordExceeded(error, context)
    // What a 404 names does not exist.
    const errorHeaders = apiError.status === 404 ? {} : context.errorHeaders
    return addRateLimitHeaders(errorResponse(apiError, errorHeaders), context)
  }
}

/** The native side of a gateway: what runs its handlers, and repeats the responses that they stored. */
export const createNativeSide = (handlers: HandlersByLabel, given: NativeSideDependencies): NativeSide => {
  const dependencies = { ...given, logFailure: createFailureLog(given.log) }
  return {
    serve: (decision, context, ports) => serveNative(decision, context, handlers, dependencies, ports),
    findReplay: (decision, context, ports) => findReplay(decision, context, dependencies, ports),
  }
}
