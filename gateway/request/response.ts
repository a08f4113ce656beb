import { ApiError } from '#contracts/errors.ts'
import { isCorsHeader, isDroppedFromResponse } from '#proxy/headers/header-rules.ts'
import type { EdgeErrorCode } from '../edge/inspect-request.ts'
import type { RequestContext } from './context.ts'
import { type Cors, sharePageHeaders } from './cors.ts'

/** Has no body if `body` is undefined. A long body is encoded in chunks. */
export interface GatewayResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | readonly BodyChunk[] | undefined
}

export interface StreamResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReadableStream<BodyChunk>
  /** Resolves once the work behind the body has ended, which is after the body or the client's disconnect. */
  readonly ended: Promise<void>
}

export type BodyChunk = Uint8Array<ArrayBuffer>

export interface TextResponse extends GatewayResponse {
  readonly body: string | undefined
}

export const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' }

export const jsonResponse = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): TextResponse => ({
  status,
  headers: { ...jsonHeaders, ...headers },
  body: JSON.stringify(body),
})

export const emptyResponse = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
): TextResponse => ({
  status,
  headers,
  body: undefined,
})

export const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

export const errorResponse = (
  error: ApiError,
  headers: Readonly<Record<string, string>> = {},
): TextResponse => jsonResponse(error.status, error.body, { ...headers, ...error.headers })

export const createMethodNotAllowedError = (allow: readonly string[]) =>
  new ApiError('method_not_allowed', {}, { headers: { allow: allow.join(', ') } })

export const createEdgeError = (code: EdgeErrorCode): ApiError<EdgeErrorCode> =>
  code === 'method_not_allowed'
    ? new ApiError(code, {}, { headers: { allow: allMethods } })
    : new ApiError(code)

export const serviceHeaders = ({ requestId, outcome }: Pick<RequestContext, 'requestId' | 'outcome'>) => ({
  'x-service-core-runtime': outcome.runtime,
  'x-service-native-route': outcome.label,
  'x-service-proxy-fallback': outcome.fallbackReason === null ? '0' : '1',
  'x-request-id': requestId,
})

export interface AddedHeaders {
  /** Names in lower case. */
  readonly pairs: readonly (readonly [name: string, value: string])[]
  /** Names whose existing values are replaced: all except repeatable headers. */
  readonly replaced: ReadonlySet<string>
}

const isFraming = (name: string) => isDroppedFromResponse(name) || name === 'content-length'

// Only the gateway sets service, CORS, framing and hop-by-hop headers. Names are in lower case.
const isReservedHeader = (name: string) => isFraming(name) || isCorsHeader(name)

// Headers that describe the body. Middleware may not set them, because it does not write the body. Other headers that
// begin with `content-`, such as `content-security-policy`, do not describe a body.
const bodyHeaders = new Set([
  'accept-ranges',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-location',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
])

// Values that Node agrees to write. `Headers` also accepts control characters, which a query parameter can contain.
const validValue = /^[\t\x20-\x7e\x80-\xff]*$/

export class InvalidHeaderError extends Error {
  override name = 'InvalidHeaderError'
}

const requireValidValue = (name: string, value: string) => {
  if (!validValue.test(value))
    throw new InvalidHeaderError(`middleware set an invalid value for the header ${name}`)
}

const isRepeatable = (name: string) => name === 'set-cookie' || name === 'vary'

/** Throws `InvalidHeaderError` for a value that no HTTP header may have. */
export const readAddedHeaders = (headers: Headers): AddedHeaders | null => {
  // Each cookie is a separate pair.
  const pairs = [...headers].filter(([name]) => !isReservedHeader(name) && !bodyHeaders.has(name))
  for (const [name, value] of pairs) requireValidValue(name, value)
  const replaced = new Set(pairs.map(([name]) => name).filter((name) => !isRepeatable(name)))
  return pairs.length === 0 ? null : { pairs, replaced }
}

/** Headers by lower-case name. Only `set-cookie` has several values. */
export type ResponseHeaders = Record<string, string | string[]>

export const byteLengthOf = (body: string | readonly BodyChunk[]) =>
  typeof body === 'string'
    ? Buffer.byteLength(body)
    : body.reduce((length, chunk) => length + chunk.length, 0)

// RFC 9110, section 9.3.2: a HEAD response has the content length of the GET response.
const createHeadLength = ({ body }: GatewayResponse, { method }: RequestContext) =>
  method === 'HEAD' && body !== undefined ? { 'content-length': String(byteLengthOf(body)) } : {}

const addHeader = (headers: ResponseHeaders, name: string, value: string) => {
  const present = headers[name]
  if (name === 'set-cookie') headers[name] = [...(present ?? []), value]
  else headers[name] = name === 'vary' && present !== undefined ? `${present}, ${value}` : value
}

const addMiddlewareHeaders = (headers: ResponseHeaders, { addedHeaders }: RequestContext) => {
  for (const [name, value] of addedHeaders?.pairs ?? []) addHeader(headers, name, value)
}

export const createResponseHeaders = (
  response: GatewayResponse,
  context: RequestContext,
  cors: Cors,
): ResponseHeaders => {
  const headers: ResponseHeaders = {
    ...response.headers,
    ...createHeadLength(response, context),
    'cache-control': 'no-store',
    ...cors.headersFor(context),
  }
  addMiddlewareHeaders(headers, context)
  return Object.assign(headers, sharePageHeaders(context.path), serviceHeaders(context))
}

export const createPageHeaders = (
  response: Response,
  contentLength: string | null,
  context: RequestContext,
  cors: Cors,
): ResponseHeaders => {
  const headers: ResponseHeaders = { 'cache-control': 'no-store', ...cors.headersFor(context) }
  addMiddlewareHeaders(headers, context)
  for (const [name, value] of response.headers) if (!isReservedHeader(name)) addHeader(headers, name, value)
  if (contentLength !== null) headers['content-length'] = contentLength
  return Object.assign(headers, sharePageHeaders(context.path), serviceHeaders(context))
}

const appendAll = (flat: string[], headers: Readonly<Record<string, string>>) => {
  for (const name in headers) flat.push(name, headers[name] ?? '')
}

/** Returns what the gateway adds to a core response: `[name, value, name, value]`. */
export const createHeadersForCoreResponse = (context: RequestContext, cors: Cors): string[] => {
  const flat: string[] = []
  const reserved = sharePageHeaders(context.path)
  appendAll(flat, serviceHeaders(context))
  appendAll(flat, cors.headersFor(context))
  for (const [name, value] of context.addedHeaders?.pairs ?? [])
    if (!Object.hasOwn(reserved, name)) flat.push(name, value)
  appendAll(flat, reserved)
  return flat
}
