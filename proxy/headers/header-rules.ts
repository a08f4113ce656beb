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
  /** The HTTP version the client spoke, as `Via` writes it: `1.1`. */
  readonly httpVersion: string
  readonly viaPseudonym: string
}

const isMaxForwards = (name: string) => name.length === 12 && name.toLowerCase() === 'max-forwards'

const mostHops = 255

const oneHopLess = (hops: string) =>
  /^[0-9]*[1-9][0-9]*$/.test(hops) ? String(Math.min(Number(hops), mostHops) - 1) : hops

/**
 * What the core gets to see: the client's headers in their order, case and number, without those of this hop and
 * those that only the gateway may set. Names with an underscore are dropped because many cores read `a_b` as `a-b`.
 */
export const coreRequestHeaders = (headers: readonly string[], hop: RequestHop): string[] => {
  const dropped = hop.client.behindTrustedProxy ? droppedFromRequest : droppedFromUntrustedClient
  const listed = parseConnectionOptions(headers)
  // RFC 9110 section 7.6.2: each hop counts it down for OPTIONS; TRACE never comes this far.
  const countsHops = hop.method === 'OPTIONS'
  const kept: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    if (dropped.has(name) || name.includes('_')) continue
    if (listed.size > 0 && listed.has(name.toLowerCase())) continue
    const value = headers[at + 1] ?? ''
    kept.push(name, countsHops && isMaxForwards(name) ? oneHopLess(value) : value)
  }
  const { client } = hop
  kept.push('via', `${hop.httpVersion} ${hop.viaPseudonym}`)
  kept.push('x-forwarded-for', client.forwardedFor, 'x-forwarded-proto', client.protocol)
  if (client.host !== '') kept.push('x-forwarded-host', client.host)
  if (client.forwarded !== null) kept.push('forwarded', client.forwarded)
  kept.push('x-request-id', hop.requestId)
  return kept
}

interface ResponseHop {
  readonly status: number
  readonly stamp: readonly string[]
  /** Scheme and authority of the core, in lower case. */
  readonly coreOrigin: string
  readonly client: ClientOrigin
  readonly replacesCors: boolean
  readonly replacedHeaders: ReadonlySet<string> | null
}

const namesAuthority = /^(?:https?:)?\/\/[^/?#]*/i

// The core may write its own origin with its usual port, or without its scheme.
const authorityOfCore = (location: string, coreOrigin: string) => {
  const [authority] = namesAuthority.exec(location) ?? []
  return authority !== undefined && URL.parse(authority, coreOrigin)?.origin === coreOrigin ? authority : null
}

const publicLocation = (location: string, { coreOrigin, client }: ResponseHop) => {
  const authority = client.host === '' ? null : authorityOfCore(location, coreOrigin)
  return authority === null
    ? location
    : `${client.protocol}://${client.host}${location.slice(authority.length)}`
}

const isLocation = (name: string) => name.length === 8 && name.toLowerCase() === 'location'
const isCacheControl = (name: string) => name.length === 13 && name.toLowerCase() === 'cache-control'
const isContentLength = (name: string) => name.length === 14 && name.toLowerCase() === 'content-length'

// RFC 6265 section 3: several Set-Cookie fields stand side by side, so those of the core stay.
const isReplaced = (replaced: ReadonlySet<string>, name: string) => {
  const lowerCaseName = name.toLowerCase()
  return lowerCaseName !== 'set-cookie' && replaced.has(lowerCaseName)
}

/** What the client gets to see of the core's headers, in their order, case and number, and then the stamp. */
export const clientResponseHeaders = (headers: readonly string[], hop: ResponseHop): string[] => {
  const listed = parseConnectionOptions(headers)
  const kept: string[] = []
  const { replacedHeaders } = hop
  let cacheControl = replacedHeaders?.has('cache-control') === true
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    if (droppedFromResponse.has(name) || name.includes('_')) continue
    if (listed.size > 0 && listed.has(name.toLowerCase())) continue
    if (hop.replacesCors && corsNames.has(name)) continue
    if (replacedHeaders !== null && isReplaced(replacedHeaders, name)) continue
    // RFC 9110 section 8.6: no length with 204. A client may take it for the length of a body that follows.
    if (hop.status === 204 && isContentLength(name)) continue
    if (isCacheControl(name)) cacheControl = true
    const value = headers[at + 1] ?? ''
    kept.push(name, isLocation(name) ? publicLocation(value, hop) : value)
  }
  if (!cacheControl) kept.push('cache-control', 'no-store')
  for (const part of hop.stamp) kept.push(part)
  return kept
}

/**
 * Whether the transfer coding of an answer is one that was undone on the way here. Nobody asks the core for another
 * than chunked, and what any other leaves behind is no body that a client could read.
 */
export const isKnownCoding = (coding: string | string[] | null | undefined): boolean =>
  coding === undefined ||
  coding === null ||
  (typeof coding === 'string' && coding.toLowerCase() === 'chunked')

/** Whether an answer ends only with its connection, so that a reset looks like its end. */
export const isCloseDelimited = (headers: readonly string[]): boolean => {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]?.toLowerCase()
    if (name === 'content-length' || name === 'transfer-encoding') return false
  }
  return true
}
