import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { EdgeErrorCode } from '../edge/inspect-request.ts'
import { type RequestContext, RequestOutcome, sanitizeRequestId } from '../request/context.ts'
import { reportAsOwnResponse } from '../request/core-request.ts'
import { createEdgeError, errorResponse, serviceHeaders } from '../request/response.ts'
import { startRequestTrace } from '../request/trace.ts'

export type DescribedRequest = Pick<RequestContext, 'requestId' | 'trace' | 'outcome'>

const contexts = new WeakMap<IncomingMessage, DescribedRequest>()

/** If the parser fails on the body, the error response then has the request's route and id. */
export const rememberContext = (incoming: IncomingMessage, context: DescribedRequest) => {
  contexts.set(incoming, context)
}

export const describeRequest = (incoming: IncomingMessage | null): DescribedRequest => {
  const context = incoming && contexts.get(incoming)
  if (context) return context
  const header = (name: string) => {
    const sent = incoming?.headers[name]
    return typeof sent === 'string' ? sent : undefined
  }
  return {
    requestId: sanitizeRequestId(header('x-request-id')),
    trace: startRequestTrace(null, { method: incoming?.method ?? '', header }),
    outcome: new RequestOutcome(),
  }
}

type HeaderFields = Readonly<Record<string, string>>

export type AdditionalHeaders = (incoming: IncomingMessage) => HeaderFields

const createEdgeResponse = (
  code: EdgeErrorCode,
  request: DescribedRequest,
  additional: HeaderFields = {},
) => {
  const {
    status,
    headers,
    body = '',
  } = errorResponse(createEdgeError(code), {
    'cache-control': 'no-store',
    ...serviceHeaders(request),
    ...additional,
    connection: 'close',
  })
  return { status, headers: { ...headers, 'content-length': String(body.length) }, body }
}

/** Responds to an invalid request and closes the connection, because it may be unclear where the request ends. */
export const writeEdgeError = (
  outgoing: ServerResponse,
  code: EdgeErrorCode,
  request: DescribedRequest,
  additional: HeaderFields,
) => {
  reportAsOwnResponse(request)
  const { status, headers, body } = createEdgeResponse(code, request, additional)
  request.outcome.error ??= code
  outgoing.writeHead(status, headers).end(body)
}

export interface UnparsedRequest extends DescribedRequest {
  readonly isHead: boolean
}

export const createEdgeErrorMessage = (code: EdgeErrorCode, request: UnparsedRequest): string => {
  const { status, headers, body } = createEdgeResponse(code, request)
  // RFC 9110, section 6.6.1 requires Date on every response. Node adds it only to a ServerResponse.
  const lines = Object.entries({ date: new Date().toUTCString(), ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', request.isHead ? '' : body].join('\r\n')
}
