import { absent, type Findings, locationAt } from './findings.ts'
import type { RecordedResponse } from './recorded-response.ts'
import { shown } from './shape.ts'
import { urlShape } from './url-shape.ts'

/** What of a header's value is compared. */
type Part = (value: string) => string | null

const mediaType: Part = (value) => (value.split(';', 1)[0] ?? '').trim().toLowerCase()

const presence: Part = () => 'present'

const methods: Part = (value) =>
  value
    .split(',')
    .map((method) => method.trim().toUpperCase())
    .filter(Boolean)
    .sort()
    .join(', ')

/**
 * The headers a caller may rely on. All others belong to the way of an answer rather than to it, and
 * `x-service-*` says who gave it.
 */
const contractHeaders: Readonly<Record<string, Part>> = {
  'content-type': mediaType,
  allow: methods,
  location: urlShape,
  'retry-after': presence,
  'www-authenticate': presence,
}

// They let a caller keep an answer or fetch the rest of it, which no JSON that must not be stored is for.
const storageHeaders: Readonly<Record<string, Part>> = {
  'accept-ranges': (value) => value.trim().toLowerCase(),
  'content-range': presence,
  etag: presence,
}

const isDocument = ({ headers }: RecordedResponse) => {
  const type = mediaType(headers['content-type'] ?? '')
  return type === '' || type === 'application/json' || type === 'text/html' || type === 'text/plain'
}

const headerAt = (name: string) => locationAt(`headers.${name}`)

const partOf = ({ headers }: RecordedResponse, name: string, part: Part) => {
  const value = headers[name]
  return value === undefined ? absent : part(value)
}

const forbidsStoring = ({ headers }: RecordedResponse) => /\bno-store\b/i.test(headers['cache-control'] ?? '')

/** Where native breaks what holds for each of its answers: that nobody stores it. */
export const findHeaderViolations = (native: RecordedResponse): readonly string[] =>
  forbidsStoring(native) ? [] : ['headers.cache-control']

/** Compares what callers may rely on of the headers; a core may let its own answers be stored, native never. */
export const compareHeaders = (found: Findings, native: RecordedResponse, core: RecordedResponse) => {
  const compared = isDocument(core) ? contractHeaders : { ...contractHeaders, ...storageHeaders }
  for (const [name, part] of Object.entries(compared)) {
    const [ours, theirs] = [partOf(native, name, part), partOf(core, name, part)]
    if (ours !== theirs) found.add('header', headerAt(name), ours, theirs, name === 'location' ? null : shown)
  }
  if (!forbidsStoring(native)) {
    found.add(
      'header',
      headerAt('cache-control'),
      native.headers['cache-control'] ?? absent,
      'no-store',
      shown,
    )
  }
}
