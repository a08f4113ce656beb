import { corsNames, droppedFromResponse } from '#proxy/headers/header-names.ts'

/** Headers that middleware added to a response. */
export interface AddedHeaders {
  /** Lower-case names and values: `[name, value, name, value]`. */
  readonly flat: readonly string[]
  /** The names whose existing values are replaced: all except repeatable headers. */
  readonly replaced: ReadonlySet<string>
}

const isFraming = (name: string) => droppedFromResponse.has(name) || name === 'content-length'

/** Whether only the gateway may set a header (name in lower case): service, CORS, framing and hop-by-hop headers. */
export const isReservedHeader = (name: string) => isFraming(name) || corsNames.has(name)

// Middleware does not write bodies.
const describesBody = (name: string) =>
  name.startsWith('content-') || name === 'etag' || name === 'last-modified'

const isRepeatable = (name: string) => name === 'set-cookie' || name === 'vary'

/** Reads the headers that middleware added and may add; null if there are none. */
export const readAddedHeaders = (headers: Headers): AddedHeaders | null => {
  const flat: string[] = []
  const replaced = new Set<string>()
  for (const [name, value] of headers) {
    if (isReservedHeader(name) || describesBody(name) || name === 'set-cookie') continue
    flat.push(name, value)
    if (!isRepeatable(name)) replaced.add(name)
  }
  for (const cookie of headers.getSetCookie()) flat.push('set-cookie', cookie)
  return flat.length === 0 ? null : { flat, replaced }
}
