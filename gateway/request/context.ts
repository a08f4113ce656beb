import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Actor, LimitStatus } from '#native-routes/ports.ts'
import type { BodyStart } from '#proxy/upstream-request.ts'
import type { Trace, Tracer } from '#shared/tracing/trace.ts'
import type { BodyBudget, BodyReservation } from '../edge/body-budget.ts'
import { createInitialOutcome, type RequestOutcome } from './outcome.ts'
import type { AddedHeaders } from './response-headers.ts'
import { nameRequestSpan, startRequestTrace } from './trace.ts'

/** A token whose signature and claims were valid when it was verified. */
export interface VerifiedToken {
  readonly actor: Actor
  /**
   * Whether it has expired since it was verified, for example while the body was read. Allows for the clock tolerance.
   */
  isExpired(): boolean
}

/** A request whose idempotency key is valid. It holds hashes only, and the functions that use the key. */
export interface IdempotentRequest {
  /** Identifies the key of this account. */
  readonly keyHash: string
  /** Identifies the method, the target and the body. */
  readonly requestHash: string
  readonly route: Label
  /** What the core has to do with the request: it serves it, may serve it instead of native, or gets no request of its route. */
  readonly core: 'serves' | 'may-serve' | 'unused'
  /** The epoch of the decision about the request. */
  readonly epoch: number
  /** The secret from which the keys of requests to providers derive. */
  readonly providerKey: string
  /** Encrypts what is stored under the key, such that only a request with the same key can decrypt it. */
  encrypt(purpose: StoredPurpose, text: string): Promise<string>
  decrypt(purpose: StoredPurpose, stored: string): Promise<string>
}

/** What is stored under a key. */
export type StoredPurpose = 'checkpoint' | 'response'

/** The parameters of a path as it spells them, which is the canonical spelling. */
export type RouteParams = Readonly<Record<string, string>>

/** The client disconnected before its body was complete, so no response can be sent. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}

/** What a platform knows of a request, and how it reads the rest of it. */
export interface ContextSource {
  readonly method: string
  /** Canonical. */
  readonly path: string
  readonly hasRewrittenPath: boolean
  /** The query with its `?`; empty if there is none. */
  readonly search: string
  /** `name` in lower case. */
  header(name: string): string | undefined
  clientAddress(): string
  /** Absent if the request has no client that could disconnect. */
  onDisconnect?(listener: () => void): void
  readonly bodyBudget: BodyBudget
  /** Absent if no spans are recorded. */
  readonly tracer?: Pick<Tracer, 'startTrace'> | null
  /** Called at most once, by the first `readBody`; `timeoutMs`, if given, limits the whole body. */
  read(reservation: BodyReservation, timeoutMs?: number): Promise<Uint8Array>
  /** Absent if bodies of unknown length are streamed from their first byte. */
  readStart?(reservation: BodyReservation): Promise<Uint8Array | BodyStart>
}

const validRequestId = /^[A-Za-z0-9._:-]{1,128}$/

/** Returns the request id of the client if it is safe in headers and logs, otherwise a new one. */
export const sanitizeRequestId = (sent: string | undefined) =>
  sent !== undefined && validRequestId.test(sent) ? sent : crypto.randomUUID()

const noHeaders: Readonly<Record<string, string>> = {}

const noParams: RouteParams = {}

/**
 * One request on any platform and what became of it, from the edge to its log line. Thousands of requests may wait for the
 * core at once, so it has methods and no closures: see "request that waits" in dev/bench/README.md.
 */
export class RequestContext {
  readonly requestId: string
  readonly trace: Trace
  readonly method: string
  /** The canonical path, which is both routed and forwarded. */
  readonly path: string
  /** Whether the client wrote another spelling of the path. */
  readonly hasRewrittenPath: boolean
  /** The query string without its question mark; empty if there is none. */
  readonly query: string
  readonly outcome: RequestOutcome = createInitialOutcome()
  /** Headers of errors from now on, except for a 404; see `errorHeaders` of contracts. */
  errorHeaders = noHeaders
  /** Headers that middleware adds to the response of any runtime. */
  addedHeaders: AddedHeaders | null = null
  /** The token of the client; null if none was verified, because no side has required one or it is invalid. */
  verifiedToken: VerifiedToken | null = null
  /** Set once it is known that no response is stored for this request; null if it has no idempotency key. */
  idempotentRequest: IdempotentRequest | null = null
  /** What is left of the rate limits that the request counted against; null if there are none. */
  limitStatuses: LimitStatus[] | null = null
  readonly #source: ContextSource
  readonly #startedAt = performance.now()
  #body: Promise<Uint8Array> | null = null
  #bodyStart: Promise<Uint8Array | BodyStart> | null = null
  #reservation: BodyReservation | null = null
  #isReleased = false
  #params: RouteParams | null = null

  constructor(source: ContextSource) {
    const { method, path, tracer = null } = source
    this.#source = source
    this.method = method
    this.path = path
    this.hasRewrittenPath = source.hasRewrittenPath
    this.query = source.search.slice(1)
    // Probes and other pages would be most of what is recorded.
    this.trace = startRequestTrace(path.startsWith('/v1') ? tracer : null, source)
    this.requestId = sanitizeRequestId(source.header('x-request-id'))
  }

  /** Empty until the route is entered, and for a path without a row. */
  get params(): RouteParams {
    const { label } = this.outcome
    if (label === 'unmatched') return noParams
    this.#params ??= readParams(label, this.path)
    return this.#params
  }

  /** `name` in lower case. */
  header(name: string): string | undefined {
    return this.#source.header(name)
  }

  /** The nearest address that does not belong to a trusted proxy. */
  clientAddress(): string {
    return this.#source.clientAddress()
  }

  /** Calls `listener` if the client disconnects before its response has ended. */
  onDisconnect(listener: () => void) {
    this.#source.onDisconnect?.(listener)
  }

  /**
   * Reads the whole body, up to the configured limit and within `timeoutMs`, if given. Later calls return the same
   * bytes.
   * @throws ApiError `body_too_large`, `gateway_busy`, `request_timeout`
   * @throws ClientGoneError if the client disconnects.
   */
  readBody(timeoutMs?: number): Promise<Uint8Array> {
    this.#body ??= this.#reserve((reservation) => this.#source.read(reservation, timeoutMs))
    return this.#body
  }

  /**
   * Reads a body that is to be forwarded: the whole body, or what arrives until it exceeds the configured limit. Later
   * calls return the same. Null if the platform streams such bodies from their first byte.
   * @throws ApiError `gateway_busy`, `request_timeout`
   * @throws ClientGoneError if the client disconnects.
   */
  readBodyStart(): Promise<Uint8Array | BodyStart> | null {
    const source = this.#source
    const { readStart } = source
    if (!readStart) return null
    this.#bodyStart ??= this.#reserve((reservation) => readStart.call(source, reservation))
    return this.#bodyStart
  }

  /** Whether `readBody` was called; the body can then no longer be streamed. */
  hasReadBody(): boolean {
    return this.#body !== null
  }

  /** Returns the memory of the body to its budget. Call it when the request has ended. */
  releaseBody() {
    this.#isReleased = true
    this.#body = null
    this.#bodyStart = null
    this.#reservation?.release()
  }

  /** Milliseconds since the request arrived. */
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

/** Makes a request one of the route that its path has matched. */
export const enterRoute = (request: RequestContext, label: Label) => {
  if (request.outcome.label === label) return
  request.outcome.label = label
  nameRequestSpan(request.trace, request.method, label)
}
