import { encodeLocation } from '#shared/encode-location.ts'
import { signHmac } from '#shared/hmac-sha256.ts'
import type { TraceContext } from '#shared/tracing/trace-context.ts'
import { type ClientOrigin, joinValues } from './client-origin.ts'
import { namesOfProxies, prefixesOfProxies } from './names-of-proxies.ts'

// RFC 9110, section 7.6.1, and the names that older implementations treat the same way.
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]

const droppedFromEveryPeer = [
  ...hopByHop,
  // Framing, host, expectation and forwarding headers are set for each hop.
  'host',
  'content-length',
  'expect',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-request-id',
  // Parsed and bounded before they are sent on.
  'traceparent',
  'tracestate',
  // The edge rejects a request whose override names a method other than its own, so the others have no effect.
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
]

// A pattern, because a lower-case copy of a name has no hash yet: to look 13 of them up in a Set takes four times as long.
const createNamePattern = (names: readonly string[], prefixes: readonly string[]) =>
  new RegExp(`^(?:(?:${names.join('|')})$|${prefixes.join('|')})`)

const droppedFromRequest = createNamePattern(droppedFromEveryPeer, ['x-service-'])
// A peer that is not a trusted proxy cannot set forwarding headers.
const droppedFromUntrustedClient = createNamePattern(
  [...droppedFromEveryPeer, ...namesOfProxies],
  ['x-service-', ...prefixesOfProxies],
)
// The gateway sends the request id itself; the core may repeat the one that it was sent.
const droppedFromResponse = createNamePattern([...hopByHop, 'x-request-id'], ['x-service-'])

/** Whether a header (name in lower case) of the core is for the gateway only, or set by it. */
export const isDroppedFromResponse = (name: string) => droppedFromResponse.test(name)

/** Whether a header (name in lower case) is one of CORS. */
export const isCorsHeader = (name: string) => name.startsWith('access-control-')

/** The names, in lower case, that `Connection` lists: they apply to this hop only. Null if there are none. */
const readConnectionOptions = (headers: readonly string[]): ReadonlySet<string> | null => {
  const list = joinValues(headers, 'connection')
  // Nearly every message has none or one of these two, which name no header that would be sent on.
  if (list === null || /^(?:keep-alive|close)$/i.test(list)) return null
  return new Set(list.split(',').map((option) => option.trim().toLowerCase()))
}

/**
 * The pseudonym of this deployment in `Via`. It is derived from a secret that all instances of a deployment share, so
 * that a loop over several instances is detected. Another deployment in the chain has another secret and pseudonym.
 */
export const createViaPseudonym = (secret: string): string =>
  `crossfade-${signHmac(secret, 'via pseudonym').toString('hex', 0, 8)}`

/**
 * Whether a request has passed through this deployment before (RFC 9110, section 7.6.3). A substring match is enough:
 * the 64 random bits do not occur in a header by accident.
 */
export const isForwardingLoop = (headers: readonly string[], pseudonym: string): boolean =>
  joinValues(headers, 'via')?.includes(pseudonym) ?? false

interface SentRequest {
  readonly method: string
  readonly client: ClientOrigin
  readonly requestId: string
  /** The trace that the core continues; null if its request belongs to none. */
  readonly trace: TraceContext | null
}

/** This hop in `Via`. */
interface ViaHop {
  /** The HTTP version of the client's request: `1.1`. */
  readonly httpVersion: string
  readonly viaPseudonym: string
}

const maxForwardsLimit = 255

const decrementMaxForwards = (hops: string) =>
  /^[0-9]*[1-9][0-9]*$/.test(hops) ? String(Math.min(Number(hops), maxForwardsLimit) - 1) : hops

/**
 * The headers that are sent to the core: those of the client in their order, case and number, except hop-by-hop headers
 * and those that only the gateway may set. Names with an underscore are dropped, as many servers read `a_b` as `a-b`.
 */
export const coreRequestHeaders = (
  headers: readonly string[],
  { method, client, requestId, trace }: SentRequest,
  { httpVersion, viaPseudonym }: ViaHop,
): string[] => {
  const dropped = client.behindTrustedProxy ? droppedFromRequest : droppedFromUntrustedClient
  const connectionOptions = readConnectionOptions(headers)
  const result: string[] = []
  for (let index = 0; index < headers.length; index += 2) {
    const sentName = headers[index] ?? ''
    const name = sentName.toLowerCase()
    if (dropped.test(name) || name.includes('_') || connectionOptions?.has(name)) continue
    const value = headers[index + 1] ?? ''
    // RFC 9110, section 7.6.2: each hop decrements it for OPTIONS; TRACE is never forwarded.
    const decrements = name === 'max-forwards' && method === 'OPTIONS'
    result.push(sentName, decrements ? decrementMaxForwards(value) : value)
  }
  result.push('via', `${httpVersion} ${viaPseudonym}`)
  result.push('x-forwarded-for', client.forwardedFor, 'x-forwarded-proto', client.protocol)
  if (client.host !== '') result.push('x-forwarded-host', client.host)
  if (client.forwarded !== null) result.push('forwarded', client.forwarded)
  result.push('x-request-id', requestId)
  if (trace !== null) result.push('traceparent', trace.traceparent)
  if (trace !== null && trace.state !== null) result.push('tracestate', trace.state)
  return result
}

/** What is set in the response to a request. */
interface SetHeaders {
  /** Headers that are added at the end. */
  readonly responseHeaders: readonly string[]
  readonly replacesCors: boolean
  readonly replacedHeaders: ReadonlySet<string> | null
}

/** Where the core and the gateway are. */
interface Origins {
  /** Scheme and authority of the core, in lower case. */
  readonly coreOrigin: string
  /** The base URL that clients use, without a slash at its end; null if it is not configured. */
  readonly publicBaseUrl: string | null
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
const rewriteLocation = (location: string, { coreOrigin, publicBaseUrl }: Origins) => {
  const authority = findCoreAuthority(location, coreOrigin)
  if (authority === null) return location
  const rest = location.slice(authority.length)
  return publicBaseUrl === null ? toRelative(rest) : publicBaseUrl + rest
}

const isReplaced = (name: string, { replacesCors, replacedHeaders }: SetHeaders) => {
  if (replacesCors && isCorsHeader(name)) return true
  // RFC 6265, section 3: a response may have several Set-Cookie headers, so those of the core are sent as well.
  return name !== 'set-cookie' && replacedHeaders?.has(name) === true
}

/** The headers that are sent to the client: those of the core in their order, case and number, then those that are set. */
export const clientResponseHeaders = (
  headers: readonly string[],
  status: number,
  set: SetHeaders,
  origins: Origins,
): string[] => {
  const connectionOptions = readConnectionOptions(headers)
  const result: string[] = []
  let hasCacheControl = set.replacedHeaders?.has('cache-control') === true
  for (let index = 0; index < headers.length; index += 2) {
    const sentName = headers[index] ?? ''
    const name = sentName.toLowerCase()
    if (isDroppedFromResponse(name) || name.includes('_') || connectionOptions?.has(name)) continue
    if (isReplaced(name, set)) continue
    // RFC 9110, section 8.6: no length with 204. A client may expect a body of that length.
    if (status === 204 && name === 'content-length') continue
    if (name === 'cache-control') hasCacheControl = true
    const value = headers[index + 1] ?? ''
    result.push(sentName, name === 'location' ? encodeLocation(rewriteLocation(value, origins)) : value)
  }
  if (!hasCacheControl) result.push('cache-control', 'no-store')
  result.push(...set.responseHeaders)
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

/** Whether a response ends with its connection only, so a reset cannot be told from its end. */
export const isCloseDelimited = (headers: readonly string[]): boolean =>
  joinValues(headers, 'content-length') === null && joinValues(headers, 'transfer-encoding') === null

/** Whether a response consists of events, which are sent for as long as its client listens. */
export const isEventStream = (headers: readonly string[]): boolean =>
  joinValues(headers, 'content-type')?.toLowerCase().startsWith('text/event-stream') ?? false
