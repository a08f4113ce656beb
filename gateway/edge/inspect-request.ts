import type { ErrorCode } from '#contracts/errors.ts'
import { isHost } from '#proxy/headers/client-origin.ts'
import type { Trace } from '#shared/tracing/trace.ts'

export interface CanonicalTarget {
  readonly path: string
  /** Without its question mark. */
  readonly query: string
  /** The path and query sent to the core. */
  readonly target: string
  /** The authority of an absolute-form target. It overrides the Host header (RFC 9112, section 3.2.2). */
  readonly authority: string | null
  readonly isRewritten: boolean
}

// All printable characters except `#` (fragments) and the backslash, which many servers treat as a slash.
const forbidden = /[^\x21-\x7e]|[\\#]/

// `.` and `..`, also with parameters that some servers strip before resolving dot segments (`..;x`), and segments with
// nothing but parameters, which those servers read as `//`.
const dotOrEmptySegment = /\/(?:\.{0,2};|\.{1,2}(?:\/|$)|\/)/

const unreservedExceptDot = /[A-Za-z0-9_~-]/

const decodeEscape = (whole: string, digits: string) => {
  const character = String.fromCharCode(Number.parseInt(digits, 16))
  return unreservedExceptDot.test(character) ? character : whole.toUpperCase()
}

const forbiddenEscapes = /%(?:[01][0-9A-F]|7F|2E|2F|5C|25[0-9A-F]{2})/i
const malformedEscape = /%(?![0-9A-Fa-f]{2})/

// A core that normalizes Unicode (NFKC) would turn `％２ｆ`, `／` or `…` into forbidden characters.
const normalizesToDelimiter = (text: string) =>
  /[/\\.;%?#]/.test(text.replace(/[ -~]/g, '').normalize('NFKC'))

const isUnambiguous = (path: string) => {
  try {
    // Throws on overlong or invalid UTF-8, which can hide a slash from a strict decoder.
    return !normalizesToDelimiter(decodeURIComponent(path))
  } catch {
    return false
  }
}

/** Decodes escaped unreserved characters, so each path has one spelling (RFC 3986, section 6.2.2.2). */
const canonicalizeEscapes = (path: string) => {
  if (malformedEscape.test(path)) return null
  const canonical = path.replace(/%([0-9A-Fa-f]{2})/g, decodeEscape)
  return forbiddenEscapes.test(canonical) || !isUnambiguous(canonical) ? null : canonical
}

const isValidQuery = (query: string) => !/[^\x21-\x7e]|#/.test(query)

const parseOriginForm = (raw: string, authority: string | null): CanonicalTarget | null => {
  const end = raw.includes('?') ? raw.indexOf('?') : raw.length
  const path = raw.slice(0, end)
  const query = raw.slice(end + 1)
  if (forbidden.test(path) || dotOrEmptySegment.test(path) || !isValidQuery(query)) return null
  if (!path.includes('%')) return { path, query, target: raw, authority, isRewritten: false }
  const canonical = canonicalizeEscapes(path)
  if (canonical === null) return null
  const target = canonical + raw.slice(end)
  return { path: canonical, query, target, authority, isRewritten: canonical !== path }
}

const createAsteriskForm = (authority: string | null): CanonicalTarget => ({
  path: '*',
  query: '',
  target: '*',
  authority,
  isRewritten: false,
})

const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/i

const parseAbsoluteForm = (method: string, raw: string): CanonicalTarget | null => {
  const [, authority, rest = ''] = absoluteForm.exec(raw) ?? []
  if (!authority) return null
  if (rest === '' && method === 'OPTIONS') return createAsteriskForm(authority)
  return parseOriginForm(rest.startsWith('/') ? rest : `/${rest}`, authority)
}

/**
 * Determines the one canonical path, used for both routing and forwarding; null if the target is malformed or
 * ambiguous. Escapes of unreserved characters are decoded, all others upper-cased. Anything two parsers could read
 * differently is rejected: encoded slashes, dots and controls, dot and empty segments, malformed escapes, non-ASCII.
 */
export const canonicalizeTarget = (method: string, raw: string): CanonicalTarget | null => {
  if (raw.charCodeAt(0) === 0x2f) return parseOriginForm(raw, null)
  if (raw === '*') return method === 'OPTIONS' ? createAsteriskForm(null) : null
  return parseAbsoluteForm(method, raw)
}

export interface InspectedRequest {
  readonly target: CanonicalTarget
  /** Empty if an HTTP/1.0 client sent no Host header. */
  readonly host: string
  /** Body length in bytes; null if chunked. */
  readonly bodyLength: number | null
  readonly expectsContinue: boolean
  readonly requestsUpgrade: boolean
}

export type EdgeErrorCode = Extract<
  ErrorCode,
  | 'bad_request'
  | 'method_not_allowed'
  | 'method_not_implemented'
  | 'version_not_supported'
  | 'uri_too_long'
  | 'expectation_failed'
  | 'headers_too_large'
  | 'request_timeout'
  | 'body_too_large'
>

/** Why a request is rejected. `method_override` is a `bad_request` with its own counter. */
export type EdgeRejection = EdgeErrorCode | 'method_override'

export const edgeErrorCodeOf = (rejection: EdgeRejection): EdgeErrorCode =>
  rejection === 'method_override' ? 'bad_request' : rejection

export interface RejectedRequest {
  readonly code: EdgeErrorCode
  readonly status: number
  readonly reason: EdgeRejection
  readonly requestId: string
  readonly trace: Trace
}

class Framing {
  host: string | null = null
  length: string | null = null
  coding: string | null = null
  expect: string | null = null
  authorization = false
  contentType = false
  upgrade = false
  methodOverride: string | null = null
}

const appendValue = (list: string | null, value: string) => (list === null ? value : `${list}, ${value}`)

// An underscore counts as a hyphen, because cores that get headers as CGI variables cannot tell them apart.
const overridesMethod = /^x[-_](?:http[-_]method(?:[-_]override)?|method[-_]override)$/

const recordHeader = (framing: Framing, name: string, value: string): boolean => {
  const lowerCaseName = name.toLowerCase()
  switch (lowerCaseName) {
    case 'host':
      if (framing.host !== null) return false
      framing.host = value
      return true
    case 'content-length':
      if (framing.length !== null) return false
      framing.length = value
      return true
    case 'transfer-encoding':
      if (framing.coding !== null) return false
      framing.coding = value
      return true
    case 'authorization':
      if (framing.authorization) return false
      framing.authorization = true
      return true
    case 'content-type':
      if (framing.contentType) return false
      framing.contentType = true
      return true
    case 'expect':
      framing.expect = appendValue(framing.expect, value)
      return true
    case 'upgrade':
      framing.upgrade = true
      return true
    default:
      if (overridesMethod.test(lowerCaseName))
        framing.methodOverride = appendValue(framing.methodOverride, value)
      return true
  }
}

const parseFraming = (headers: readonly string[]): Framing | null => {
  const framing = new Framing()
  for (let index = 0; index < headers.length; index += 2) {
    if (!recordHeader(framing, headers[index] ?? '', headers[index + 1] ?? '')) return null
  }
  return framing
}

// Whether a method override changes nothing, because each name in the list is the request's own method. Any other name
// could make the core act on a different method than we routed; removing the header would turn a DELETE into a POST.
const namesOnlyMethod = (list: string, method: string): boolean =>
  list.split(',').every((item) => {
    const name = item.trim().toUpperCase()
    return name === '' || name === method
  })

// At most fifteen digits, which a number holds exactly.
const wholeNumber = /^(?:0|[1-9][0-9]{0,14})$/

// Reads the body length strictly as RFC 9112, section 6.3 requires. Returns undefined if two parsers could disagree on
// where the body ends.
const parseBodyLength = ({ length, coding }: Framing, httpVersion: string): number | null | undefined => {
  if (coding !== null) {
    const isValid = length === null && httpVersion === '1.1' && coding.toLowerCase() === 'chunked'
    return isValid ? null : undefined
  }
  if (length === null) return 0
  return wholeNumber.test(length) ? Number(length) : undefined
}

const selectHost = (
  { host }: Framing,
  { authority }: CanonicalTarget,
  httpVersion: string,
): string | null => {
  if (host === null && httpVersion !== '1.0') return null
  if (host !== null && !isHost(host)) return null
  if (authority !== null) return isHost(authority) ? authority : null
  return host ?? ''
}

/** Returns the reason if the request is rejected. `headers` is the flat list as received, duplicates included. */
export const inspectRequest = (
  method: string,
  rawUrl: string,
  httpVersion: string,
  headers: readonly string[],
): InspectedRequest | EdgeRejection => {
  if (method === 'TRACE' || method === 'CONNECT') return 'method_not_allowed'
  // Node reports HTTP/0.9 for a request line without a version.
  if (httpVersion === '0.9') return 'bad_request'
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'version_not_supported'
  const target = canonicalizeTarget(method, rawUrl)
  const framing = parseFraming(headers)
  if (!target || !framing) return 'bad_request'
  const host = selectHost(framing, target, httpVersion)
  const bodyLength = parseBodyLength(framing, httpVersion)
  if (host === null || bodyLength === undefined) return 'bad_request'
  const { methodOverride } = framing
  if (methodOverride !== null && !namesOnlyMethod(methodOverride, method)) return 'method_override'
  // HTTP/1.0 clients cannot receive a 100, so their expectation is ignored (RFC 9110, section 10.1.1).
  const expect = httpVersion === '1.1' ? framing.expect : null
  if (expect !== null && expect.toLowerCase() !== '100-continue') return 'expectation_failed'
  return { target, host, bodyLength, expectsContinue: expect !== null, requestsUpgrade: framing.upgrade }
}
