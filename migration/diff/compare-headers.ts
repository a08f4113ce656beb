import { absent, type Findings, locationAt } from './findings.ts'
import type { RecordedResponse } from './recorded-response.ts'
import { unmaskedShape } from './shape.ts'
import { urlShape } from './url-shape.ts'

/** Reduces a header value to the part that is compared. */
type ReduceHeader = (value: string) => string | null

const mediaType: ReduceHeader = (value) => (value.split(';', 1)[0] ?? '').trim().toLowerCase()

const presence: ReduceHeader = () => 'present'

const methods: ReduceHeader = (value) =>
  value
    .split(',')
    .map((method) => method.trim().toUpperCase())
    .filter(Boolean)
    .sort()
    .join(', ')

/**
 * The headers that clients may rely on. All others depend on the transport, and `x-service-*` on the side that
 * served the response.
 */
const contractHeaders: Readonly<Record<string, ReduceHeader>> = {
  'content-type': mediaType,
  allow: methods,
  location: urlShape,
  'retry-after': presence,
  'www-authenticate': presence,
}

// Headers for caching and range requests. They are irrelevant for documents, which must not be stored.
const storageHeaders: Readonly<Record<string, ReduceHeader>> = {
  'accept-ranges': (value) => value.trim().toLowerCase(),
  'content-range': presence,
  etag: presence,
}

const isDocument = ({ headers }: RecordedResponse) => {
  const type = mediaType(headers['content-type'] ?? '')
  return type === '' || type === 'application/json' || type === 'text/html' || type === 'text/plain'
}

const headerAt = (name: string) => locationAt(`headers.${name}`)

const reduceHeader = ({ headers }: RecordedResponse, name: string, reduce: ReduceHeader) => {
  const value = headers[name]
  return value === undefined ? absent : reduce(value)
}

const forbidsStoring = ({ headers }: RecordedResponse) => /\bno-store\b/i.test(headers['cache-control'] ?? '')

/** The header rules that a native response violates: each response must be `no-store`. */
export const findHeaderViolations = (native: RecordedResponse): readonly string[] =>
  forbidsStoring(native) ? [] : ['headers.cache-control']

/** Compares the headers that clients may rely on. Native responses must be `no-store`; those of the core need not be. */
export const compareHeaders = (found: Findings, native: RecordedResponse, core: RecordedResponse) => {
  const compared = isDocument(core) ? contractHeaders : { ...contractHeaders, ...storageHeaders }
  for (const [name, reduce] of Object.entries(compared)) {
    const [ours, theirs] = [reduceHeader(native, name, reduce), reduceHeader(core, name, reduce)]
    if (ours !== theirs)
      found.add('header', headerAt(name), ours, theirs, name === 'location' ? null : unmaskedShape)
  }
  if (!forbidsStoring(native)) {
    found.add(
      'header',
      headerAt('cache-control'),
      native.headers['cache-control'] ?? absent,
      'no-store',
      unmaskedShape,
    )
  }
}
