import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { ViewReason } from '#migration/model/routing-view.ts'
import type { Actor, LimitStatus } from '#native-routes/ports.ts'
import type { BodyStart } from '#proxy/core-request.ts'
import type { Trace, Tracer } from '#shared/tracing/trace.ts'
import type { BodyBudget, BodyReservation } from '../edge/body-budget.ts'
import type { CanonicalTarget } from '../edge/inspect-request.ts'
import type { AddedHeaders } from './response.ts'
import type { NativeResult } from './route-control.ts'
import { nameRequestSpan, startRequestTrace } from './trace.ts'

/** Why a side serves a request. `docs/logs-and-metrics.md` describes each value. */
export type Reason = ViewReason | 'breaker'

/** Why the core serves a request instead of native. `docs/logs-and-metrics.md` describes each value. */
export type FallbackReason =
  | 'database'
  | 'authentication'
  | 'timeout'
  | 'not_ported'
  | 'bug'
  | 'breaker'
  | 'earlier_attempt'

/**
 * Why the gateway sent 401. Only the log gives the reason: in the response, it would help an attacker forge a token.
 * `docs/logs-and-metrics.md` describes each value.
 */
export type UnauthorizedReason =
  | 'token_missing'
  | 'malformed'
  | 'algorithm_not_allowed'
  | 'unknown_key'
  | 'signature'
  | 'issuer'
  | 'audience'
  | 'token_not_yet_valid'
  | 'token_expired'
  | 'internal_token'

/** What the service headers, the log line and the metrics report about a request. */
export class RequestOutcome {
  label: Label | 'unmatched' = 'unmatched'
  /** For a page outside `/v1`: whether it is a health probe or any other page. Null for other requests. */
  page: 'probe' | 'page' | null = null
  /** `native`: the gateway responded, with a handler or its own error. `proxy`: the core responded, or failed to. */
  runtime: 'native' | 'proxy' = 'native'
  /** Why this side was chosen. A fallback does not change it. */
  reason: Reason = 'static'
  /** Epoch of the routing state behind the decision; 0 if there was no decision. */
  epoch = 0
  /** Set if the core serves the request instead of native. The fallback header reports it. */
  fallbackReason: FallbackReason | null = null
  status: number | undefined = undefined
  /** Error code of a response the gateway produced. */
  error: string | undefined = undefined
  unauthorizedReason: UnauthorizedReason | null = null
  /** How long the core took to send its response head; undefined if it sent none. Set by the transport. */
  coreMs: number | undefined = undefined
  /** Declared length of the request body; undefined if not declared. */
  bytesIn: number | undefined = undefined
  /** Body bytes written, as counted by the transport. */
  bytesOut: number | undefined = undefined
  /** Whether the response is the stored one of an earlier request with the same idempotency key. */
  isReplayed = false
  /** Whether native had nothing to do. */
  isUnchanged = false
  bodyMs = 0
  /**
   * Null if native was not tried, the client disconnected, the token could not be verified, or the core got an earlier
   * attempt.
   */
  nativeResult: NativeResult | null = null
  /**
   * How long native took, not counting the wait for the body. Null if native has no result, or if the result's cause
   * lies outside the route, such as an unreachable database.
   */
  nativeMs: number | null = null
}

/** A token whose signature and claims were valid when it was verified. */
export interface VerifiedToken {
  readonly actor: Actor
  /** Allows for clock tolerance. */
  isExpired(): boolean
}

/** A request with a valid idempotency key. Holds only hashes and functions that use the key, never the key itself. */
export interface IdempotentRequest {
  readonly keyHash: string
  readonly requestHash: string
  readonly route: Label
  /** The core's role: it serves the request, may serve it after a fallback, or has no part in the route. */
  readonly core: 'serves' | 'may-serve' | 'unused'
  readonly epoch: number
  /** The secret from which the idempotency keys for providers are derived. */
  readonly providerKey: string
  /** Encrypts a stored text so that only a request with the same key can decrypt it. */
  encrypt(purpose: StoredPurpose, text: string): Promise<string>
  decrypt(purpose: StoredPurpose, stored: string): Promise<string>
}

export type StoredPurpose = 'checkpoint' | 'response'

export type RouteParams = Readonly<Record<string, string>>

/** The client disconnected in the middle of its body, so there is nobody to respond to. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}

export interface ContextSource {
  readonly method: string
  readonly target: Pick<CanonicalTarget, 'path' | 'query' | 'isRewritten'>
  /** `name` in lower case. */
  header(name: string): string | undefined
  clientAddress(): string
  onDisconnect?(listener: () => void): void
  readonly bodyBudget: BodyBudget
  readonly tracer?: Pick<Tracer, 'startTrace'> | null
  readonly isWarmUp?: boolean
  /** Called at most once, by the first `readBody`; `timeoutMs`, if given, limits the whole body. */
  read(reservation: BodyReservation, timeoutMs?: number): Promise<Uint8Array>
  readStart?(reservation: BodyReservation): Promise<Uint8Array | BodyStart>
  /** Whether bodies of unknown length are forwarded from the first byte. */
  readonly streamsUnknownLength?: boolean
}

const validRequestId = /^[A-Za-z0-9._:-]{1,128}$/

/** Returns the client's request id if it is safe in headers and logs, otherwise a new one. */
export const sanitizeRequestId = (sent: string | undefined) =>
  sent !== undefined && validRequestId.test(sent) ? sent : crypto.randomUUID()

const noHeaders: Readonly<Record<string, string>> = {}

const noParams: RouteParams = {}

/**
 * Uses methods instead of closures, because thousands of requests may wait for the core at once: see "A request that
 * waits" in dev/bench/results/forwarding.md.
 */
export class RequestContext {
  readonly requestId: string
  readonly trace: Trace
  readonly method: string
  readonly path: string
  readonly hasRewrittenPath: boolean
  readonly query: string
  /** A request that the gateway sends to itself before it listens. Nothing observes or compares it. */
  readonly isWarmUp: boolean
  readonly outcome = new RequestOutcome()
  /** Headers that any error other than a 404 gets from now on; see `errorHeaders` in contracts. */
  errorHeaders = noHeaders
  /** Headers from middleware, added to the response of either side. */
  addedHeaders: AddedHeaders | null = null
  /** Null if no token was verified, because none was required or it is invalid. */
  verifiedToken: VerifiedToken | null = null
  /** Set once the look-up has found no stored response. Null until then, and if the request has no idempotency key. */
  idempotentRequest: IdempotentRequest | null = null
  limitStatuses: LimitStatus[] | null = null
  readonly #source: ContextSource
  readonly #startedAt = performance.now()
  #body: Promise<Uint8Array> | null = null
  #bodyStart: Promise<Uint8Array | BodyStart> | null = null
  #reservation: BodyReservation | null = null
  #isReleased = false
  #params: RouteParams | null = null

  constructor(source: ContextSource) {
    const { method, target, tracer = null, isWarmUp = false } = source
    const { path, query, isRewritten } = target
    this.#source = source
    this.isWarmUp = isWarmUp
    this.method = method
    this.path = path
    this.hasRewrittenPath = isRewritten
    this.query = query
    // Traces of probes and other pages would drown out everything else.
    this.trace = startRequestTrace(path.startsWith('/v1') && !isWarmUp ? tracer : null, source)
    this.requestId = sanitizeRequestId(source.header('x-request-id'))
  }

  /** Empty until the route is entered, and for paths without a row. */
  get params(): RouteParams {
    const { label } = this.outcome
    if (label === 'unmatched') return noParams
    this.#params ??= readParams(label, this.path)
    return this.#params
  }

  header(name: string): string | undefined {
    return this.#source.header(name)
  }

  /** Returns the nearest address that is not a trusted proxy's. */
  clientAddress(): string {
    return this.#source.clientAddress()
  }

  onDisconnect(listener: () => void) {
    this.#source.onDisconnect?.(listener)
  }

  /**
   * Reads the whole body, up to the configured limit, unless `readBodyStart` has read it. Later calls return the same
   * bytes. Throws `ApiError` with `body_too_large`, `gateway_busy` or `request_timeout`, and `ClientGoneError` if the
   * client disconnects.
   */
  readBody(timeoutMs?: number): Promise<Uint8Array> {
    this.#body ??= this.#bodyStart
      ? this.#bodyStart.then(requireWhole)
      : this.#reserve((reservation) => this.#source.read(reservation, timeoutMs))
    return this.#body
  }

  /**
   * Reads a body for forwarding: all of it, or only its start if it exceeds the limit. Later calls return the same
   * result. Throws `ApiError` with `gateway_busy` or `request_timeout`, and `ClientGoneError` if the client disconnects.
   */
  readBodyStart(): Promise<Uint8Array | BodyStart> | null {
    const source = this.#source
    const { readStart } = source
    if (!readStart) return null
    this.#bodyStart ??= this.#reserve((reservation) => readStart.call(source, reservation))
    return this.#bodyStart
  }

  /** Like `readBodyStart`. Returns null if the platform streams such bodies and nothing of this one was read. */
  readBodyStartUnlessStreamed(): Promise<Uint8Array | BodyStart> | null {
    return this.#source.streamsUnknownLength ? this.#bodyStart : this.readBodyStart()
  }

  /** If so, the body can no longer be streamed. */
  hasReadBody(): boolean {
    return this.#body !== null
  }

  /** Returns the body's memory to its budget. Call it when the request has ended. */
  releaseBody() {
    this.#isReleased = true
    this.#body = null
    this.#bodyStart = null
    this.#reservation?.release()
  }

  durationMs(): number {
    return performance.now() - this.#startedAt
  }

  async #reserve<T>(read: (reservation: BodyReservation) => Promise<T>): Promise<T> {
    if (this.#isReleased) throw new Error('cannot read the body: releaseBody was already called')
    const reservation = this.#source.bodyBudget.reserve(this.#source.clientAddress())
    this.#reservation = reservation
    try {
      return await read(reservation)
    } catch (error) {
      reservation.release()
      throw error
    }
  }
}

const requireWhole = (body: Uint8Array | BodyStart) => {
  if (body instanceof Uint8Array) return body
  throw new ApiError('body_too_large')
}

const readParams = (label: Label, path: string): RouteParams => {
  const values = path.split('/')
  const params: Record<string, string> = {}
  rowOf(label)
    .path.split('/')
    .forEach((name, depth) => {
      if (name.startsWith(':')) params[name.slice(1)] = values[depth] ?? ''
    })
  return params
}

export const enterRoute = (request: RequestContext, label: Label) => {
  if (request.outcome.label === label) return
  request.outcome.label = label
  nameRequestSpan(request.trace, request.method, label)
}
