import type { Label } from '#contracts/route-table.ts'
import type { RouteMatch } from './find-route.ts'
import type { AddedHeaders } from './middleware-headers.ts'

/** One request, from the edge to its log line. */
export interface RequestContext {
  readonly requestId: string
  readonly method: string
  /** The canonical path: what is routed on is what is forwarded. */
  readonly path: string
  /** The query string without its question mark, empty when there is none. */
  readonly query: string
  readonly match: RouteMatch
  header(name: string): string | undefined
  /** The nearest address that is no trusted proxy. */
  clientAddress(): string
  /**
   * The whole body, at most the configured limit and, where `timeoutMs` is given, within that time. Reading it again
   * gives the same bytes.
   * @throws ApiError `body_too_large`, `gateway_busy`, `request_timeout`
   */
  readBody(timeoutMs?: number): Promise<Uint8Array>
  /** Whether the body was asked for: then it cannot be streamed any more. */
  hasReadBody(): boolean
  /** To be called when the request is over: returns the memory of the body to its budget. */
  releaseBody(): void
  /** Milliseconds since the request arrived. */
  durationMs(): number
  /** Headers that middleware adds to the response, whoever produces it. */
  addedHeaders: AddedHeaders | null
  readonly outcome: RequestOutcome
}

/** What the service headers, the log line and the metrics report about a request. */
export interface RequestOutcome {
  label: Label | 'unmatched'
  runtime: 'native' | 'proxy'
  fallback: boolean
  /** Undefined until the head of the response is written. */
  status: number | undefined
  /** The error code of a response of the gateway itself. */
  error: string | undefined
}

export const initialOutcome = (match: RouteMatch): RequestOutcome => ({
  label: match.kind === 'row' ? match.label : 'unmatched',
  runtime: 'native',
  fallback: false,
  status: undefined,
  error: undefined,
})

/** The headers that every response has, whoever produced it. */
export const serviceHeaders = ({ requestId, outcome }: Pick<RequestContext, 'requestId' | 'outcome'>) => ({
  'x-service-core-runtime': outcome.runtime,
  'x-service-native-route': outcome.label,
  'x-service-proxy-fallback': outcome.fallback ? '1' : '0',
  'x-request-id': requestId,
})

/** The same as a flat list of names and values: `[name, value, name, value]`. */
export const flatServiceHeaders = ({ requestId, outcome }: Pick<RequestContext, 'requestId' | 'outcome'>) => [
  'x-service-core-runtime',
  outcome.runtime,
  'x-service-native-route',
  outcome.label,
  'x-service-proxy-fallback',
  outcome.fallback ? '1' : '0',
  'x-request-id',
  requestId,
]

const validRequestId = /^[A-Za-z0-9._:-]{1,128}$/

/** The client's own request id where it is safe in a header and a log, else a new one. */
export const sanitizeRequestId = (sent: string | undefined) =>
  sent !== undefined && validRequestId.test(sent) ? sent : crypto.randomUUID()
