import { ApiError } from '#contracts/errors.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Ports } from '#native-routes/ports.ts'
import { requireOwnedTrack } from '#native-routes/tracks/require-track.ts'
import { describeError } from '#shared/describe-error.ts'
import { startTimer } from '#shared/start-timer.ts'
import { createThrottle, type Log } from '../observability/log.ts'
import { ClientGoneError, type FallbackReason, type RequestContext } from '../request/context.ts'
import type { LocalDecision, Rejection } from '../request/decide.ts'
import type { NativeSide, ResponseOrFallback } from '../request/platform.ts'
import {
  createMethodNotAllowedError,
  emptyResponse,
  errorResponse,
  type GatewayResponse,
} from '../request/response.ts'
import type { NativeResult } from '../request/route-control.ts'
import { authenticate, type Credentials, UnauthorizedError } from './authenticate.ts'
import { findReplay, findReplayAfterError, type ReplayDependencies } from './idempotency/find-replay.ts'
import { ForwardedEarlier } from './idempotency/stored-response.ts'
import { addRateLimitHeaders, recordExceeded } from './limits.ts'
import { createReadingPorts, openRequestPorts, type RequestPorts } from './request-ports.ts'
import {
  createNotImplementedError,
  type HandlersByLabel,
  type ReadBody,
  type RouteDependencies,
  runRoute,
} from './run-route.ts'
import { createCancellation, startStream } from './run-stream.ts'
import { findDependencyFailure, isCausedOutsideRoute, NativeTimeout, toApiError } from './to-api-error.ts'

/** On a path below a track, checks the owner first, so the error does not reveal that someone else's track exists. */
const rejectRequest = async (
  decision: Rejection,
  context: RequestContext,
  credentials: Credentials,
  { db }: Ports,
): Promise<never> => {
  switch (decision.kind) {
    case 'track-resource': {
      const { trackId, allow } = decision
      const token = await authenticate('actor', context.header('authorization'), credentials)
      if (token) await requireOwnedTrack(db.read, trackId, token.actor)
      throw allow === null ? new ApiError('track_resource_not_found') : createMethodNotAllowedError(allow)
    }
    case 'method-not-allowed':
      throw createMethodNotAllowedError(decision.allow)
    case 'not-implemented':
      throw createNotImplementedError(context.path)
    case 'unavailable':
      throw new ApiError('native_runtime_required', {
        message: 'This route is switched off, and nothing else serves it.',
      })
  }
}

export interface NativeSideDependencies extends RouteDependencies, ReplayDependencies {
  readonly nativeTimeoutMs: number
  /** A stream's timeout, since `nativeTimeoutMs` would be too short. */
  readonly streamTimeoutMs: number
  /** How often a stream sends a comment, which keeps the connection open. */
  readonly heartbeatMs?: number
}

const defaultHeartbeatMs = 15_000

// The core may serve a read after any failure, because a read can be repeated, and its events are stored only after the
// handler has succeeded. It may serve a write only if a dependency failed before any effect. Null means no fallback.
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

// Repeated failures of a route are throttled, unless an effect may have happened, because someone may have to look into
// each such failure.
const createFailureLog = (log: Log) => {
  const throttle = createThrottle()
  return (
    error: unknown,
    apiError: ApiError,
    fallbackReason: FallbackReason | null,
    { requestId, outcome, isWarmUp }: RequestContext,
    requestPorts: Pick<RequestPorts, 'state'>,
  ) => {
    if (isWarmUp || (apiError === error && apiError.cause === undefined)) return
    const failure = describeError(error)
    const isUnknown = requestPorts.state() === 'maybe'
    const repeated = isUnknown
      ? { outcome: 'outcome_unknown' }
      : throttle([outcome.label, apiError.code, fallbackReason, failure.name, failure.code])
    if (repeated === null) return
    log.error(
      {
        requestId,
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

// Feeds the guard, which pauses and stops routes. A request that neither side serves says nothing about a route.
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
  readonly bodyTimeoutMs: number
  readonly onExpired?: ((error: NativeTimeout) => void) | undefined
}

/** The clock stops while the client sends its body, because a slow client is not a failure of native. */
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
    let cancelTimer = startTimer(timeoutMs, expire)
    const readBody = async () => {
      cancelTimer()
      const startedAt = context.durationMs()
      try {
        return await context.readBody(bodyTimeoutMs)
      } finally {
        context.outcome.bodyMs += context.durationMs() - startedAt
        cancelTimer = startTimer(timeoutMs, expire)
      }
    }
    work(readBody)
      .then(resolve, reject)
      .finally(() => cancelTimer())
  })

const recordErrorCode = ({ outcome }: RequestContext, apiError: ApiError) => {
  outcome.error = apiError.code
  if (apiError instanceof UnauthorizedError) outcome.unauthorizedReason = apiError.reason
}

/** Never throws: errors become the response the contract defines. */
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
    // Nobody viewed or played anything with a HEAD request.
    if (context.method !== 'HEAD') await requestPorts.flushEvents()
    recordResult(decision, context, 'served')
    return 'events' in response
      ? startStream(response, { timeoutMs: streamTimeoutMs, heartbeatMs }, reportStreamError)
      : addRateLimitHeaders(response, context)
  } catch (thrown) {
    // A stream's work is cancelled by its signal and may still record what it used, so it is abandoned only if the core
    // serves the request.
    if (!isStream) requestPorts.abandon()
    // The client has gone, so there is nobody to respond to. This is not native's failure.
    if (thrown instanceof ClientGoneError) return emptyResponse(499)
    const intended = findFallbackReason(decision, thrown, requestPorts)
    // Must happen before the core can get the request.
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
    // Not recorded as native's result. Otherwise clients could pause a route by sending unverifiable tokens or retries.
    if (fallbackReason === 'authentication' || fallbackReason === 'earlier_attempt') return fallbackReason
    if (fallbackReason !== null) {
      recordResult(decision, context, 'fell-back', error)
      return fallbackReason
    }
    recordResult(decision, context, apiError.status >= 500 ? 'failed' : 'served', error)
    recordErrorCode(context, apiError)
    recordExceeded(error, context)
    // A 404 has nothing to describe in headers.
    const errorHeaders = apiError.status === 404 ? {} : context.errorHeaders
    return addRateLimitHeaders(errorResponse(apiError, errorHeaders), context)
  }
}

export const createNativeSide = (handlers: HandlersByLabel, given: NativeSideDependencies): NativeSide => {
  const dependencies = { ...given, logFailure: createFailureLog(given.log) }
  return {
    serve: (decision, context, ports) => serveNative(decision, context, handlers, dependencies, ports),
    findReplay: (decision, context, ports) => findReplay(decision, context, dependencies, ports),
  }
}
