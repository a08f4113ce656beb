import { encodeLocation } from '#shared/encode-location.ts'
import type { TraceContext } from '#shared/tracing/trace-context.ts'
import type { ClientOrigin } from './client-origin.ts'
import {
  corsNames,
  droppedFromRequest,
  droppedFromResponse,
  droppedFromUntrustedClient,
  parseConnectionOptions,
} from './header-names.ts'

interface RequestHop {
  readonly method: string
  readonly client: ClientOrigin
  readonly requestId: string
  /** The HTTP version of the client's request, as in `Via`: `1.1`. */
  readonly httpVersion: string
  readonly viaPseudonym: string
  /** The trace that the core continues; null if its request belongs to none. */
  readonly trace: TraceContext | null
}

const isMaxForwards = (name: string) => name.length === 12 && name.toLowerCase() === 'max-forwards'

const maxForwardsLimit = 255

const decrementMaxForwards = (hops: string) =>
  /^[0-9]*[1-9][0-9]*$/.test(hops) ? String(Math.min(Number(hops), maxForwardsLimit) - 1) : hops

/**
 * The headers that are sent to the core: those of the client in their order, case and number, except hop-by-hop headers
 * and those that only the gateway may set. Names with an underscore are dropped, as many servers read `a_b` as `a-b`.
 */
export const coreRequestHeaders = (headers: readonly string[], hop: RequestHop): string[] => {
  const dropped = hop.client.behindTrustedProxy ? droppedFromRequest : droppedFromUntrustedClient
  const connectionOptions = parseConnectionOptions(headers)
  // RFC 9110, section 7.6.2: each hop decrements it for OPTIONS; TRACE is never forwarded.
  const decrements = hop.method === 'OPTIONS'
  const result: string[] = []
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    if (dropped.has(name) || name.includes('_')) continue
    if (connectionOptions.size > 0 && connectionOptions.has(name.toLowerCase())) continue
    const value = headers[index + 1] ?? ''
    result.push(name, decrements && isMaxForwards(name) ? decrementMaxForwards(value) : value)
  }
  const { client } = hop
  result.push('via', `${hop.httpVersion} ${hop.viaPseudonym}`)
  result.push('x-forwarded-for', client.forwardedFor, 'x-forwarded-proto', client.protocol)
  if (client.host !== '') result.push('x-forwarded-host', client.host)
  if (client.forwarded !== null) result.push('forwarded', client.forwarded)
  result.push('x-request-id', hop.requestId)
  const { trace } = hop
  if (trace !== null) {
    result.push('traceparent', trace.traceparent)
    if (trace.state !== null) result.push('tracestate', trace.state)
  }
  return result
}

interface ResponseHop {
  readonly status: number
  /** Headers that are added at the end. */
  readonly responseHeaders: readonly string[]
  /** Scheme and authority of the core, in lower case. */
  readonly coreOrigin: string
  /** The base URL that clients use, without a slash at its end; null if it is not configured. */
  readonly publicBaseUrl: string | null
  readonly replacesCors: boolean
  readonly replacedHeaders: ReadonlySet<string> | null
}

const authorityPattern = /^(?:https?:)?\/\/[^/?#]*/i

// The core may write its own origin with its default port, or without its scheme.
const findCoreAuthority = (location: string, coreOrigin: string) => {
  const [authority] = authorityPattern.exec(location) ?? []
  return authority !== undefined && URL.parse(authority, coreOrigin)?.origin === coreOrigin ? authority : null
}

// A path that starts with two slashes would be read as an authority (RFC 3986, section 4.2). Browsers read a backslash
// as a slash, and ignore tabs.
const startsLikeAuthority = /^\/\t*[/\\]/

const toRelative = (rest: string) => {
  if (startsLikeAuthority.test(rest)) return `/.${rest}`
  return rest.startsWith('/') ? rest : `/${rest}`
}

// Never with the host of the request, which is the client's choice: a cache would store a redirect to it for others.
const rewriteLocation = (location: string, { coreOrigin, publicBaseUrl }: ResponseHop) => {
  const authority = findCoreAuthority(location, coreOrigin)
  if (authority === null) return location
  const rest = location.slice(authority.length)
  return publicBaseUrl === null ? toRelative(rest) : publicBaseUrl + rest
}

const isLocation = (name: string) => name.length === 8 && name.toLowerCase() === 'location'
const isCacheControl = (name: string) => name.length === 13 && name.toLowerCase() === 'cache-control'
const isContentLength = (name: string) => name.length === 14 && name.toLowerCase() === 'content-length'

// RFC 6265, section 3: a response may have several Set-Cookie headers, so those of the core are sent as well.
const isReplaced = (replaced: ReadonlySet<string>, name: string) => {
  const lowerCaseName = name.toLowerCase()
  return lowerCaseName !== 'set-cookie' && replaced.has(lowerCaseName)
}

/** The headers that are sent to the client: those of the core in their order, case and number, then `hop.responseHeaders`. */
export const clientResponseHeaders = (headers: readonly string[], hop: ResponseHop): string[] => {
  const connectionOptions = parseConnectionOptions(headers)
  const result: string[] = []
  const { replacedHeaders } = hop
  let hasCacheControl = replacedHeaders?.has('cache-control') === true
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    if (droppedFromResponse.has(name) || name.includes('_')) continue
    if (connectionOptions.size > 0 && connectionOptions.has(name.toLowerCase())) continue
    if (hop.replacesCors && corsNames.has(name)) continue
    if (replacedHeaders !== null && isReplaced(replacedHeaders, name)) continue
    // RFC 9110, section 8.6: no length with 204. A client may expect a body of that length.
    if (hop.status === 204 && isContentLength(name)) continue
    if (isCacheControl(name)) hasCacheControl = true
    const value = headers[index + 1] ?? ''
    result.push(name, isLocation(name) ? encodeLocation(rewriteLocation(value, hop)) : value)
  }
  if (!hasCacheControl) result.push('cache-control', 'no-store')
  for (const part of hop.responseHeaders) result.push(part)
  return result
}

/**
 * Whether the transfer coding of a response is chunked or absent. The core is offered no other, and a client could not
 * read the body that is left after chunks are decoded.
 */
export const isKnownCoding = (coding: string | string[] | null | undefined): boolean =>
  coding === undefined ||
  coding === null ||
  (typeof coding === 'string' && coding.toLowerCase() === 'chunked')

/** Whether a response ends with its connection only, so that a reset cannot be told from its end. */
export const isCloseDelimited = (headers: readonly string[]): boolean => {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase()
    if (name === 'content-length' || name === 'transfer-encoding') return false
  }
  return true
}

/** Whether a response consists of events, which are sent for as long as its client listens. */
export const isEventStream = (headers: readonly string[]): boolean => {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() === 'content-type')
      return headers[index + 1]?.toLowerCase().startsWith('text/event-stream') ?? false
  }
  return false
}
