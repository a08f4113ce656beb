import { flatServiceHeaders, type RequestContext, serviceHeaders } from './context.ts'
import type { Cors } from './cors.ts'
import { type AddedHeaders, isReservedHeader } from './middleware-headers.ts'
import type { BodyChunk, GatewayResponse } from './response.ts'
import { sharePageHeaders } from './share-pages.ts'

/** Headers by lower-case name; only `set-cookie` has several values. */
export type ResponseHeaders = Record<string, string | string[]>

const encoder = new TextEncoder()

const byteLengthOf = (body: string | readonly BodyChunk[]) =>
  typeof body === 'string'
    ? encoder.encode(body).length
    : body.reduce((length, chunk) => length + chunk.length, 0)

// RFC 9110, section 9.3.2: the response to HEAD has the content length of the response to GET.
const createHeadLength = ({ body }: GatewayResponse, { method }: RequestContext) =>
  method === 'HEAD' && body !== undefined ? { 'content-length': String(byteLengthOf(body)) } : {}

const addHeader = (headers: ResponseHeaders, name: string, value: string) => {
  const present = headers[name]
  if (name === 'set-cookie') headers[name] = [...(present ?? []), value]
  else headers[name] = name === 'vary' && present !== undefined ? `${present}, ${value}` : value
}

const addMiddlewareHeaders = (headers: ResponseHeaders, { addedHeaders }: RequestContext) => {
  if (!addedHeaders) return
  const { flat } = addedHeaders
  for (let index = 0; index < flat.length; index += 2)
    addHeader(headers, flat[index] ?? '', flat[index + 1] ?? '')
}

/** The headers of a response that the gateway produced. */
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

/** The headers of a response that a page or middleware produced. */
export const createPageHeaders = (
  response: Response,
  contentLength: string | null,
  context: RequestContext,
  cors: Cors,
): ResponseHeaders => {
  const headers: ResponseHeaders = { 'cache-control': 'no-store', ...cors.headersFor(context) }
  addMiddlewareHeaders(headers, context)
  for (const [name, value] of response.headers)
    if (!isReservedHeader(name) && name !== 'set-cookie') addHeader(headers, name, value)
  for (const cookie of response.headers.getSetCookie()) addHeader(headers, 'set-cookie', cookie)
  if (contentLength !== null) headers['content-length'] = contentLength
  return Object.assign(headers, sharePageHeaders(context.path), serviceHeaders(context))
}

const appendAll = (flat: string[], headers: Readonly<Record<string, string>>) => {
  for (const name in headers) flat.push(name, headers[name] ?? '')
}

const appendMiddlewareHeaders = (
  flat: string[],
  added: AddedHeaders,
  reserved: Readonly<Record<string, string>>,
) => {
  for (let index = 0; index < added.flat.length; index += 2) {
    const name = added.flat[index] ?? ''
    if (!Object.hasOwn(reserved, name)) flat.push(name, added.flat[index + 1] ?? '')
  }
}

/** The headers that the gateway adds to a response of the core: `[name, value, name, value]`. */
export const createHeadersForCoreResponse = (context: RequestContext, cors: Cors): string[] => {
  const flat = flatServiceHeaders(context)
  const reserved = sharePageHeaders(context.path)
  appendAll(flat, cors.headersFor(context))
  if (context.addedHeaders) appendMiddlewareHeaders(flat, context.addedHeaders, reserved)
  appendAll(flat, reserved)
  return flat
}
