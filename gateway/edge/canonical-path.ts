export interface CanonicalTarget {
  /** What is routed on. */
  readonly path: string
  /** With its `?`, or empty. */
  readonly query: string
  /** Path and query as they are forwarded. */
  readonly target: string
  /** The authority of an absolute-form target, which stands above the Host header (RFC 9112, section 3.2.2). */
  readonly authority: string | null
}

const refused = 0
const slash = 1
const percent = 2
const plain = 3

// Everything printable, but a backslash (many cores take it for a slash) and a fragment's `#`.
const classOf = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code <= 0x20 || code === 0x7f || code === 0x5c || code === 0x23) return refused
  return code === 0x2f ? slash : code === 0x25 ? percent : plain
})

// `.` and `..`, also with the parameters that some servers cut off before they resolve it (`..;x`), and names that
// are nothing but parameters, which those servers read as `//`.
const dotOrEmptySegment = /\/(?:\.{0,2};|\.{1,2}(?:\/|$)|\/)/

const unreservedButDot = /[A-Za-z0-9_~-]/

const decodeEscape = (whole: string, digits: string) => {
  const character = String.fromCharCode(Number.parseInt(digits, 16))
  return unreservedButDot.test(character) ? character : whole.toUpperCase()
}

const forbiddenEscapes = /%(?:[01][0-9A-F]|7F|2E|2F|5C|25[0-9A-F]{2})/i
const malformedEscape = /%(?![0-9A-Fa-f]{2})/

// `％２ｆ`, `／` or `…` become what was refused above once a core normalises its input.
const foldsIntoSyntax = (text: string) => /[/\\.;%?#]/.test(text.replace(/[ -~]/g, '').normalize('NFKC'))

const isTame = (path: string) => {
  try {
    // Refuses overlong and broken UTF-8, which hides a slash from whoever decodes it strictly.
    return !foldsIntoSyntax(decodeURIComponent(path))
  } catch {
    return false
  }
}

/** One spelling for each path: escapes of unreserved characters are undone (RFC 3986, section 6.2.2.2). */
const withCanonicalEscapes = (path: string) => {
  if (malformedEscape.test(path)) return null
  const canonical = path.replace(/%([0-9A-Fa-f]{2})/g, decodeEscape)
  return forbiddenEscapes.test(canonical) || !isTame(canonical) ? null : canonical
}

const isQuery = (query: string) => query === '' || !/[^\x21-\x7e]|#/.test(query)

const fromOriginForm = (raw: string, authority: string | null): CanonicalTarget | null => {
  let end = raw.length
  let escaped = false
  let suspicious = false
  let afterSlash = false
  for (let at = 0; at < raw.length; at++) {
    const code = raw.charCodeAt(at)
    if (code === 0x3f) {
      end = at
      break
    }
    const kind = code < 128 ? classOf[code] : refused
    if (kind === refused) return null
    if (afterSlash && (kind === slash || code === 0x2e || code === 0x3b)) suspicious = true
    if (kind === percent) escaped = true
    afterSlash = kind === slash
  }
  const path = end === raw.length ? raw : raw.slice(0, end)
  const query = end === raw.length ? '' : raw.slice(end)
  if ((suspicious && dotOrEmptySegment.test(path)) || !isQuery(query)) return null
  if (!escaped) return { path, query, target: raw, authority }
  const canonical = withCanonicalEscapes(path)
  return canonical === null ? null : { path: canonical, query, target: canonical + query, authority }
}

const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/i

const fromAbsoluteForm = (method: string, raw: string): CanonicalTarget | null => {
  const [, authority, rest = ''] = absoluteForm.exec(raw) ?? []
  if (!authority) return null
  if (rest === '' && method === 'OPTIONS') return { path: '*', query: '', target: '*', authority }
  return fromOriginForm(rest.startsWith('/') ? rest : `/${rest}`, authority)
}

/**
 * Settles the one path that is routed on and forwarded as the same string, or null where a target is malformed or
 * could be read in two ways. Escapes of unreserved characters are undone, other escapes are written in upper case;
 * encoded slashes, backslashes, dots, controls and percent signs before hex digits are refused, as are dot segments,
 * empty segments, broken escapes, broken UTF-8, anything but ASCII, and fragments. Paths are case-sensitive.
 */
export const canonicalTarget = (method: string, raw: string): CanonicalTarget | null => {
  if (raw.charCodeAt(0) === 0x2f) return fromOriginForm(raw, null)
  if (raw === '*') return method === 'OPTIONS' ? { path: '*', query: '', target: '*', authority: null } : null
  return fromAbsoluteForm(method, raw)
}
