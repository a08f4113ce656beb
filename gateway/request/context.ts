import type { Label } from '#contracts/route-table.ts'
import type { RouteMatch } from './find-route.ts'

/** One request and what became of it, from the edge to its log line. */
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
  /** Whether somebody has asked for the body: then it cannot be streamed any more. */
  hasReadBody(): boolean
  /** To be called when the request is over: returns the memory of the body to its budget. */
  releaseBody(): void
  readonly outcome: RequestOutcome
}

/** What the headers, the log line and the metrics say of an exchange. */
export interface RequestOutcome {
  label: Label | 'unmatched'
  runtime: 'native' | 'proxy'
  fallback: boolean
  /** The error code of the gateway's own answers. */
  error: string | undefined
}

export const initialOutcome = (match: RouteMatch): RequestOutcome => ({
  label: match.kind === 'row' ? match.label : 'unmatched',
  runtime: 'native',
  fallback: false,
  error: undefined,
})

/** The headers that stand on every response, whoever produced it. */
export const serviceHeaders = ({ requestId, outcome }: Pick<RequestContext, 'requestId' | 'outcome'>) => ({
  'x-service-core-runtime': outcome.runtime,
  'x-service-native-route': outcome.label,
  'x-service-proxy-fallback': outcome.fallback ? '1' : '0',
  'x-request-id': requestId,
})

/** The same as a flat list of names and values, behind those of `before`, in which no name may stand twice. */
export const flatServiceHeaders = (
  { requestId, outcome }: Pick<RequestContext, 'requestId' | 'outcome'>,
  before: readonly Readonly<Record<string, string>>[],
): string[] => {
  const flat: string[] = []
  for (const headers of before) for (const name in headers) flat.push(name, headers[name] ?? '')
  flat.push('x-service-core-runtime', outcome.runtime, 'x-service-native-route', outcome.label)
  flat.push('x-service-proxy-fallback', outcome.fallback ? '1' : '0', 'x-request-id', requestId)
  return flat
}

const saneRequestId = /^[A-Za-z0-9._:-]{1,128}$/

/** The caller's own request id where it is harmless in a header and a log, else a new one. */
export const sanitizeRequestId = (sent: string | undefined) =>
  sent !== undefined && saneRequestId.test(sent) ? sent : crypto.randomUUID()
