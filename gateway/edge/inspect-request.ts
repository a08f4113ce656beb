import type { ErrorCode } from '#contracts/errors.ts'
import { isHost } from '#proxy/headers/host-syntax.ts'
import { type CanonicalTarget, canonicalTarget } from './canonical-path.ts'

export interface InspectedRequest {
  readonly target: CanonicalTarget
  /** Empty where an HTTP/1.0 client named none. */
  readonly host: string
  /** Bytes of the body; null where it comes in chunks and nobody knows. */
  readonly bodyLength: number | null
  readonly expectsContinue: boolean
  readonly asksToUpgrade: boolean
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

interface Framing {
  host: string | null
  length: string | null
  coding: string | null
  expect: string | null
  authorization: boolean
  contentType: boolean
  upgrade: boolean
}

// False where a header that may stand once stands twice.
const take = (framing: Framing, name: string, value: string): boolean => {
  switch (name.toLowerCase()) {
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
      framing.expect = framing.expect === null ? value : `${framing.expect}, ${value}`
      return true
    case 'upgrade':
      framing.upgrade = true
      return true
    default:
      return true
  }
}

// The lengths of the seven names above, so that no other header is folded and compared.
const mayMatter = (length: number) =>
  length === 4 ||
  length === 6 ||
  length === 7 ||
  length === 12 ||
  length === 13 ||
  length === 14 ||
  length === 17

const framingOf = (headers: readonly string[]): Framing | null => {
  const framing: Framing = {
    host: null,
    length: null,
    coding: null,
    expect: null,
    authorization: false,
    contentType: false,
    upgrade: false,
  }
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    if (mayMatter(name.length) && !take(framing, name, headers[at + 1] ?? '')) return null
  }
  return framing
}

// Fifteen digits are exact as a number.
const wholeNumber = /^(?:0|[1-9][0-9]{0,14})$/

/** RFC 9112 section 6.3, at its strictest; undefined is a body whose end two parsers could see in two places. */
const bodyLengthOf = ({ length, coding }: Framing, httpVersion: string): number | null | undefined => {
  if (coding !== null) {
    const sound = length === null && httpVersion === '1.1' && coding.toLowerCase() === 'chunked'
    return sound ? null : undefined
  }
  if (length === null) return 0
  return wholeNumber.test(length) ? Number(length) : undefined
}

const hostOf = ({ host }: Framing, { authority }: CanonicalTarget, httpVersion: string): string | null => {
  if (host === null && httpVersion !== '1.0') return null
  if (host !== null && !isHost(host)) return null
  if (authority !== null) return isHost(authority) ? authority : null
  return host ?? ''
}

/**
 * Judges what every request must satisfy before it is routed: its target, host, framing and expectation. `headers`
 * is the flat list as it came in, with duplicates; a code is the refusal.
 */
export const inspectRequest = (
  method: string,
  rawUrl: string,
  httpVersion: string,
  headers: readonly string[],
): InspectedRequest | EdgeErrorCode => {
  if (method === 'TRACE' || method === 'CONNECT') return 'method_not_allowed'
  // Node gives a request line without a version for one of HTTP/0.9.
  if (httpVersion === '0.9') return 'bad_request'
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'version_not_supported'
  const target = canonicalTarget(method, rawUrl)
  const framing = framingOf(headers)
  if (!target || !framing) return 'bad_request'
  const host = hostOf(framing, target, httpVersion)
  const bodyLength = bodyLengthOf(framing, httpVersion)
  if (host === null || bodyLength === undefined) return 'bad_request'
  // An HTTP/1.0 client cannot wait for a 100 and its expectation is ignored (RFC 9110, section 10.1.1).
  const expect = httpVersion === '1.1' ? framing.expect : null
  if (expect !== null && expect.toLowerCase() !== '100-continue') return 'expectation_failed'
  return { target, host, bodyLength, expectsContinue: expect !== null, asksToUpgrade: framing.upgrade }
}
