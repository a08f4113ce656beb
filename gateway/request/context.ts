import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Actor, LimitStatus } from '#native-routes/ports.ts'
import type { BodyStart } from '#proxy/upstream-request.ts'
import type { Trace } from '#shared/tracing/trace.ts'
import type { AddedHeaders } from './middleware-headers.ts'
import type { FallbackReason, Reason, UnauthorizedReason } from './reasons.ts'
import type { NativeResult } from './route-control.ts'
import { nameRequestSpan } from './trace/request-trace.ts'

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

/** The state of one request, from the edge to its log line. */
export interface RequestContext {
  readonly requestId: string
  readonly trace: Trace
  readonly method: string
  /** The canonical path, which is both routed and forwarded. */
  readonly path: string
  /** Whether the client wrote another spelling of the path. */
  readonly hasRewrittenPath: boolean
  /** The query string without its question mark; empty if there is none. */
  readonly query: string
  /** Empty until the route is entered, and for a path without a row. */
  params: RouteParams
  header(name: string): string | undefined
  /** The nearest address that does not belong to a trusted proxy. */
  clientAddress(): string
  /**
   * Reads the whole body, up to the configured limit and within `timeoutMs`, if given. Later calls return the same
   * bytes.
   * @throws ApiError `body_too_large`, `gateway_busy`, `request_timeout`
   */
  readBody(timeoutMs?: number): Promise<Uint8Array>
  /**
   * Reads a body that is to be forwarded: the whole body, or what arrives until it exceeds the configured limit. Later
   * calls return the same. Null if the platform streams such bodies from their first byte.
   * @throws ApiError `gateway_busy`, `request_timeout`
   */
  readBodyStart(): Promise<Uint8Array | BodyStart> | null
  /** Whether `readBody` was called; the body can then no longer be streamed. */
  hasReadBody(): boolean
  /** Returns the memory of the body to its budget. Call it when the request has ended. */
  releaseBody(): void
  /** Milliseconds since the request arrived. */
  durationMs(): number
  /** Calls `listener` if the client disconnects before its response has ended. */
  onDisconnect(listener: () => void): void
  /** Headers of errors from now on, except for a 404; see `errorHeaders` of contracts. */
  errorHeaders: Readonly<Record<string, string>>
  /** Headers that middleware adds to the response of any runtime. */
  addedHeaders: AddedHeaders | null
  /** The token of the client; null if none was verified, because no side has required one or it is invalid. */
  verifiedToken: VerifiedToken | null
  /** Set once it is known that no response is stored for this request; null if it has no idempotency key. */
  idempotentRequest: IdempotentRequest | null
  /** What is left of the rate limits that the request counted against; null if there are none. */
  limitStatuses: LimitStatus[] | null
  readonly outcome: RequestOutcome
}

/** What the service headers, the log line and the metrics report about a request. */
export interface RequestOutcome {
  label: Label | 'unmatched'
  /** What the gateway serves outside of `/v1`: a check of its health, or another page. Null for other requests. */
  page: 'probe' | 'page' | null
  runtime: 'native' | 'proxy'
  /** Why this side was chosen. A fallback does not change it. */
  reason: Reason
  /** The epoch of the routing state that the request was decided from; 0 if it was not decided from any. */
  epoch: number
  /** Null unless the core serves the request instead of native, which the fallback header reports. */
  fallbackReason: FallbackReason | null
  /** Undefined until the head of the response is written. */
  status: number | undefined
  /** The error code of a response that the gateway produced. */
  error: string | undefined
  /** Why the gateway sent 401; null for all other responses. */
  unauthorizedReason: UnauthorizedReason | null
  /** How long the core took until the head of its response; undefined if there was none. The transport writes it. */
  coreMs: number | undefined
  /** Bytes of the body of the request, as it declares them; undefined if it does not. */
  bytesIn: number | undefined
  /** Bytes of the body of the response that were written, which the transport counts; undefined if nothing did. */
  bytesOut: number | undefined
  /** Whether the response is the stored one of an earlier request. */
  isReplayed: boolean
  /** How long native waited for the body of the request. */
  bodyMs: number
  /** Null if native was not tried, its client disconnected, or its token could not be verified. */
  nativeResult: NativeResult | null
  /**
   * How long native took without the body. Null if it has no result, or one that a route cannot cause: a database that
   * could not be reached.
   */
  nativeMs: number | null
}

export const createInitialOutcome = (): RequestOutcome => ({
  label: 'unmatched',
  page: null,
  runtime: 'native',
  reason: 'static',
  epoch: 0,
  fallbackReason: null,
  status: undefined,
  error: undefined,
  unauthorizedReason: null,
  coreMs: undefined,
  bytesIn: undefined,
  bytesOut: undefined,
  isReplayed: false,
  bodyMs: 0,
  nativeResult: null,
  nativeMs: null,
})

const parametersOf = new Map<Label, readonly (readonly [name: string, depth: number])[]>()

const listParameters = (label: Label) => {
  const known = parametersOf.get(label)
  if (known) return known
  const found = rowOf(label)
    .path.split('/')
    .flatMap((segment, depth) => (segment.startsWith(':') ? [[segment.slice(1), depth] as const] : []))
  parametersOf.set(label, found)
  return found
}

export const noParams: RouteParams = {}

const readParams = (label: Label, path: string): RouteParams => {
  const parameters = listParameters(label)
  if (parameters.length === 0) return noParams
  const segments = path.split('/')
  return Object.fromEntries(parameters.map(([name, depth]) => [name, segments[depth] ?? '']))
}

/** Makes a request one of the route that its path has matched. */
export const enterRoute = (request: RequestContext, label: Label) => {
  if (request.outcome.label === label) return
  request.outcome.label = label
  request.params = readParams(label, request.path)
  nameRequestSpan(request.trace, request.method, label)
}

/** The service headers, which every response has. */
export const serviceHeaders = ({ requestId, outcome }: Pick<RequestContext, 'requestId' | 'outcome'>) => ({
  'x-service-core-runtime': outcome.runtime,
  'x-service-native-route': outcome.label,
  'x-service-proxy-fallback': outcome.fallbackReason === null ? '0' : '1',
  'x-request-id': requestId,
})

/** The service headers as a flat list: `[name, value, name, value]`. */
export const flatServiceHeaders = ({ requestId, outcome }: Pick<RequestContext, 'requestId' | 'outcome'>) => [
  'x-service-core-runtime',
  outcome.runtime,
  'x-service-native-route',
  outcome.label,
  'x-service-proxy-fallback',
  outcome.fallbackReason === null ? '0' : '1',
  'x-request-id',
  requestId,
]

const validRequestId = /^[A-Za-z0-9._:-]{1,128}$/

/** Returns the request id of the client if it is safe in headers and logs, otherwise a new one. */
export const sanitizeRequestId = (sent: string | undefined) =>
  sent !== undefined && validRequestId.test(sent) ? sent : crypto.randomUUID()
