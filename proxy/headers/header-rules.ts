import { encodeLocation } from '#shared/encode-location.ts'
import { signHmac } from '#shared/hmac-sha256.ts'
import type { TraceContext } from '#shared/tracing/trace-context.ts'
import { type ClientOrigin, joinValues } from './client-origin.ts'
import { namesOfProxies, prefixesOfProxies } from './names-of-proxies.ts'

// RFC 9110, section 7.6.1, and names that older implementations treat the same way
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
  // The edge rejects overrides that name a different method, so those that remain have no effect.
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
]

// A pattern, because a newly lower-cased string has no hash yet, so looking up 13 names in a Set takes four times as
// long.
const createNamePattern = (names: readonly string[], prefixes: readonly string[]) =>
  new RegExp(`^(?:(?:${names.join('|')})$|${prefixes.join('|')})`)

const droppedFromRequest = createNamePattern(droppedFromEveryPeer, ['x-service-'])
// An untrusted peer cannot set forwarding headers.
const droppedFromUntrustedClient = createNamePattern(
  [...droppedFromEveryPeer, ...namesOfProxies],
  ['x-service-', ...prefixesOfProxies],
)
// The gateway sends the request id itself, and the core may echo it.
const droppedFromResponse = createNamePattern([...hopByHop, 'x-request-id'], ['x-service-'])

/** Whether a core header (name in lower case) is meant only for the gateway, or set by the gateway itself. */
export const isDroppedFromResponse = (name: string) => droppedFromResponse.test(name)

export const isCorsHeader = (name: string) => name.startsWith('access-control-')

const readConnectionOptions = (headers: readonly string[]): ReadonlySet<string> | null => {
  const list = joinValues(headers, 'connection')
  // Nearly every message has no `Connection` header or one of these two values, which name no header.
  if (list === null || /^(?:keep-alive|close)$/i.test(list)) return null
  return new Set(list.split(',').map((option) => option.trim().toLowerCase()))
}

/**
 * All instances derive it from the same secret, so a loop through several of them is detected. Other deployments in the
 * chain have different pseudonyms.
 */
export const createViaPseudonym = (secret: string): string =>
  `crossfade-${signHmac(secret, 'via pseudonym').toString('hex', 0, 8)}`

/**
 * Whether a request has already passed through this deployment (RFC 9110, section 7.6.3). A substring match is enough,
 * because 64 random bits do not appear by accident.
 */
export const isForwardingLoop = (headers: readonly string[], pseudonym: string): boolean =>
  joinValues(headers, 'via')?.includes(pseudonym) ?? false

interface SentRequest {
  readonly method: string
  readonly client: ClientOrigin
  readonly requestId: string
  readonly trace: TraceContext | null
}

interface ViaHop {
  readonly httpVersion: string
  readonly viaPseudonym: string
}

const maxForwardsLimit = 255

const decrementMaxForwards = (hops: string) =>
  /^[0-9]*[1-9][0-9]*$/.test(hops) ? String(Math.min(Number(hops), maxForwardsLimit) - 1) : hops

/**
 * Returns the headers for the core: the client's, with order, case and duplicates kept, except hop-by-hop headers and
 * those only the gateway may set. Drops names with an underscore, because many servers read `a_b` as `a-b`.
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
    // RFC 9110, section 7.6.2: each hop decrements it for OPTIONS. TRACE is never forwarded.
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

interface SetHeaders {
  readonly responseHeaders: readonly string[]
  readonly replacesCors: boolean
  readonly replacedHeaders: ReadonlySet<string> | null
}

interface Origins {
  /** The first is the one that sent the response. */
  readonly coreOrigins: readonly [string, ...string[]]
  readonly publicBaseUrl: string | null
}

const authorityPattern = /^(?:https?:)?\/\/[^/?#]*/i

// The core may write its own origin with the default port, or without a scheme.
const findCoreAuthority = (location: string, { coreOrigins }: Origins) => {
  const [authority] = authorityPattern.exec(location) ?? []
  if (authority === undefined) return null
  const url = URL.parse(authority, coreOrigins[0])
  return url && coreOrigins.includes(url.origin) ? authority : null
}

// A path with two leading slashes would be read as an authority (RFC 3986, section 4.2). Browsers treat a backslash
// as a slash and ignore tabs.
const startsLikeAuthority = /^\/\t*[/\\]/

const toRelative = (rest: string) => {
  if (startsLikeAuthority.test(rest)) return `/.${rest}`
  return rest.startsWith('/') ? rest : `/${rest}`
}

// Never uses the request's host, which the client chooses. Otherwise a cache could store a redirect to that host and
// serve it to others.
const rewriteLocation = (location: string, origins: Origins) => {
  const { publicBaseUrl } = origins
  const authority = findCoreAuthority(location, origins)
  if (authority === null) return location
  const rest = location.slice(authority.length)
  return publicBaseUrl === null ? toRelative(rest) : publicBaseUrl + rest
}

const isReplaced = (name: string, { replacesCors, replacedHeaders }: SetHeaders) => {
  if (replacesCors && isCorsHeader(name)) return true
  // RFC 6265, section 3: a response may have several Set-Cookie headers, so the core's stay.
  return name !== 'set-cookie' && replacedHeaders?.has(name) === true
}

/** Returns the headers for the client: the core's, with order, case and duplicates kept, followed by ours. */
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
    if (isDroppedFromResponse(name) || connectionOptions?.has(name)) continue
    if (isReplaced(name, set)) continue
    // RFC 9110, section 8.6: no length with 204. A client might expect a body of that length.
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
 * Whether a response's transfer coding is chunked or absent. We offer the core no other coding. The client could not
 * read one either, because the chunks are decoded here and `Transfer-Encoding` is not passed on.
 */
export const isKnownCoding = (coding: string | string[] | null | undefined): boolean =>
  coding === undefined ||
  coding === null ||
  (typeof coding === 'string' && coding.toLowerCase() === 'chunked')

/** Whether only the end of the connection marks the end of the response. A reset then looks like a normal end. */
export const isCloseDelimited = (headers: readonly string[]): boolean =>
  joinValues(headers, 'content-length') === null && joinValues(headers, 'transfer-encoding') === null

export const isEventStream = (headers: readonly string[]): boolean =>
  joinValues(headers, 'content-type')?.toLowerCase().startsWith('text/event-stream') ?? false

/** `list` alternates names and values. */
export const toHeaders = (list: readonly string[]) => {
  const headers = new Headers()
  for (let index = 0; index < list.length; index += 2)
    headers.append(list[index] ?? '', list[index + 1] ?? '')
  return headers
}
