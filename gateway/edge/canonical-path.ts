export interface CanonicalTarget {
  /** The path that is routed. */
  readonly path: string
  /** The query with its `?`, as `URL` names it; empty if there is none. */
  readonly search: string
  /** The path and query that are forwarded. */
  readonly target: string
  /** The authority of an absolute-form target, which overrides the Host header (RFC 9112, section 3.2.2). */
  readonly authority: string | null
  /** Whether the client wrote another spelling of the path. */
  readonly isRewritten: boolean
}

// Printable characters are allowed except a backslash, which many servers treat as a slash, and `#` (fragments).
const forbidden = /[^\x21-\x7e]|[\\#]/

// `.` and `..`, also followed by parameters that some servers strip before they resolve dot segments (`..;x`), and
// segments that consist only of parameters, which those servers read as `//`.
const dotOrEmptySegment = /\/(?:\.{0,2};|\.{1,2}(?:\/|$)|\/)/

const unreservedExceptDot = /[A-Za-z0-9_~-]/

const decodeEscape = (whole: string, digits: string) => {
  const character = String.fromCharCode(Number.parseInt(digits, 16))
  return unreservedExceptDot.test(character) ? character : whole.toUpperCase()
}

const forbiddenEscapes = /%(?:[01][0-9A-F]|7F|2E|2F|5C|25[0-9A-F]{2})/i
const malformedEscape = /%(?![0-9A-Fa-f]{2})/

// `％２ｆ`, `／` or `…` become forbidden characters if a core normalizes its input.
const normalizesToDelimiter = (text: string) =>
  /[/\\.;%?#]/.test(text.replace(/[ -~]/g, '').normalize('NFKC'))

const isUnambiguous = (path: string) => {
  try {
    // Throws for overlong and invalid UTF-8, which can hide a slash from a strict decoder.
    return !normalizesToDelimiter(decodeURIComponent(path))
  } catch {
    return false
  }
}

/** Decodes escapes of unreserved characters, so each path has one spelling (RFC 3986, section 6.2.2.2). */
const canonicalizeEscapes = (path: string) => {
  if (malformedEscape.test(path)) return null
  const canonical = path.replace(/%([0-9A-Fa-f]{2})/g, decodeEscape)
  return forbiddenEscapes.test(canonical) || !isUnambiguous(canonical) ? null : canonical
}

const isValidSearch = (search: string) => !/[^\x21-\x7e]|#/.test(search)

const parseOriginForm = (raw: string, authority: string | null): CanonicalTarget | null => {
  const end = raw.includes('?') ? raw.indexOf('?') : raw.length
  const path = raw.slice(0, end)
  const search = raw.slice(end)
  if (forbidden.test(path) || dotOrEmptySegment.test(path) || !isValidSearch(search)) return null
  if (!path.includes('%')) return { path, search, target: raw, authority, isRewritten: false }
  const canonical = canonicalizeEscapes(path)
  if (canonical === null) return null
  return { path: canonical, search, target: canonical + search, authority, isRewritten: canonical !== path }
}

const createAsteriskForm = (authority: string | null): CanonicalTarget => ({
  path: '*',
  search: '',
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
 * Determines the canonical path, which is both routed and forwarded; null for a malformed or ambiguous target. Escapes
 * of unreserved characters are decoded, all others are written in upper case. Rejected are encoded slashes, backslashes,
 * dots, control characters and percent signs before hex digits, dot segments, empty segments, malformed escapes, invalid
 * UTF-8, non-ASCII characters and fragments. Paths are case-sensitive.
 */
export const canonicalizeTarget = (method: string, raw: string): CanonicalTarget | null => {
  if (raw.charCodeAt(0) === 0x2f) return parseOriginForm(raw, null)
  if (raw === '*') return method === 'OPTIONS' ? createAsteriskForm(null) : null
  return parseAbsoluteForm(method, raw)
}
