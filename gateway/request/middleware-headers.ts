import { isCorsHeader, isDroppedFromResponse } from '#proxy/headers/header-rules.ts'

/** Headers that middleware added to a response. */
export interface AddedHeaders {
  /** Lower-case names and values: `[name, value, name, value]`. */
  readonly flat: readonly string[]
  /** The names whose existing values are replaced: all except repeatable headers. */
  readonly replaced: ReadonlySet<string>
}

const isFraming = (name: string) => isDroppedFromResponse(name) || name === 'content-length'

/** Whether only the gateway may set a header (name in lower case): service, CORS, framing and hop-by-hop headers. */
export const isReservedHeader = (name: string) => isFraming(name) || isCorsHeader(name)

// Middleware does not write bodies. `content-security-policy` and its like describe none.
const bodyHeaders = new Set([
  'accept-ranges',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-location',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
])

// What Node refuses to write. `Headers` accepts control characters, which a query parameter can contain.
const validValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Middleware set a header to a value that HTTP does not allow. */
export class InvalidHeaderError extends Error {
  override name = 'InvalidHeaderError'
}

const requireValidValue = (name: string, value: string) => {
  if (!validValue.test(value))
    throw new InvalidHeaderError(`middleware set an invalid value for the header ${name}`)
  return value
}

const isRepeatable = (name: string) => name === 'set-cookie' || name === 'vary'

/**
 * Reads the headers that middleware added and may add; null if there are none.
 * @throws InvalidHeaderError for a value that no HTTP header may have.
 */
export const readAddedHeaders = (headers: Headers): AddedHeaders | null => {
  const flat: string[] = []
  const replaced = new Set<string>()
  for (const [name, value] of headers) {
    if (isReservedHeader(name) || bodyHeaders.has(name) || name === 'set-cookie') continue
    flat.push(name, requireValidValue(name, value))
    if (!isRepeatable(name)) replaced.add(name)
  }
  for (const cookie of headers.getSetCookie())
    flat.push('set-cookie', requireValidValue('set-cookie', cookie))
  return flat.length === 0 ? null : { flat, replaced }
}
