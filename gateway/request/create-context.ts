import type { BodyStart } from '#proxy/upstream-request.ts'
import type { Tracer } from '#shared/tracing/trace.ts'
import type { BodyBudget, BodyReservation } from '../edge/body-budget.ts'
import { createInitialOutcome, type RequestContext, sanitizeRequestId } from './context.ts'
import { findRoute } from './find-route.ts'
import { startRequestTrace } from './trace/request-trace.ts'

interface RequestContextOptions {
  readonly method: string
  /** Canonical. */
  readonly path: string
  readonly hasRewrittenPath: boolean
  /** Includes the question mark; empty if there is none. */
  readonly query: string
  /** `name` in lower case. */
  readonly header: (name: string) => string | undefined
  readonly clientAddress: () => string
  /** Absent if the request has no client that could disconnect. */
  readonly onDisconnect?: (listener: () => void) => void
  readonly bodyBudget: BodyBudget
  /** Absent if no spans are recorded. */
  readonly tracer?: Tracer | null
  /** Called at most once, by the first `readBody`; `timeoutMs`, if given, limits the whole body. */
  readonly read: (reservation: BodyReservation, timeoutMs?: number) => Promise<Uint8Array>
  /** Absent if bodies of unknown length are streamed from their first byte. */
  readonly readStart?: (reservation: BodyReservation) => Promise<Uint8Array | BodyStart>
}

/** Creates the context of a request on any platform and looks up its route. */
export const createRequestContext = ({
  method,
  path,
  hasRewrittenPath,
  query,
  bodyBudget,
  tracer = null,
  header,
  clientAddress,
  onDisconnect = () => {},
  read,
  readStart,
}: RequestContextOptions): RequestContext => {
  const startedAt = performance.now()
  const match = findRoute(method, path)
  let body: Promise<Uint8Array> | undefined
  let bodyStart: Promise<Uint8Array | BodyStart> | undefined
  let reservation: BodyReservation | undefined
  let isReleased = false
  const readReserved = async <T>(work: (reservation: BodyReservation) => Promise<T>) => {
    if (isReleased) throw new Error('cannot read the body: releaseBody was already called')
    reservation = bodyBudget.reserve(clientAddress())
    try {
      return await work(reservation)
    } catch (error) {
      reservation.release()
      throw error
    }
  }
  return {
    // Probes and other pages would be most of what is recorded.
    trace: startRequestTrace(path.startsWith('/v1') ? tracer : null, method, match, header),
    requestId: sanitizeRequestId(header('x-request-id')),
    method,
    path,
    hasRewrittenPath,
    query: query.slice(1),
    match,
    header,
    clientAddress,
    readBody: (timeoutMs) => {
      body ??= readReserved((reserved) => read(reserved, timeoutMs))
      return body
    },
    readBodyStart: readStart
      ? () => {
          bodyStart ??= readReserved(readStart)
          return bodyStart
        }
      : null,
    hasReadBody: () => body !== undefined,
    releaseBody: () => {
      isReleased = true
      body = undefined
      bodyStart = undefined
      reservation?.release()
    },
    durationMs: () => performance.now() - startedAt,
    onDisconnect,
    errorHeaders: {},
    addedHeaders: null,
    verifiedToken: null,
    idempotentRequest: null,
    limitStatuses: null,
    outcome: createInitialOutcome(match),
  }
}
