export interface CanonicalTarget {
  readonly path: string
  readonly search: string
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
 * Determines the one canonical path, used for both routing and forwarding; null if the target is malformed or
 * ambiguous. Escapes of unreserved characters are decoded, all others upper-cased. Anything two parsers could read
 * differently is rejected: encoded slashes, dots and controls, dot and empty segments, malformed escapes, non-ASCII.
 */
export const canonicalizeTarget = (method: string, raw: string): CanonicalTarget | null => {
  if (raw.charCodeAt(0) === 0x2f) return parseOriginForm(raw, null)
  if (raw === '*') return method === 'OPTIONS' ? createAsteriskForm(null) : null
  return parseAbsoluteForm(method, raw)
}
