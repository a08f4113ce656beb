import type { Contract } from '#contracts/shared/contract.ts'
import { Id } from '#contracts/shared/primitives.ts'
import { listHeaderNames, type ResponseHeaderName } from '#contracts/shared/response-headers.ts'
import { type LeafSchema, toDiffSchema } from './diff-schema.ts'
import { absent, type DifferenceCollector, locationAt } from './difference-collector.ts'
import type { RecordedResponse } from './recorded-response.ts'
import { urlPatternOf } from './url-pattern.ts'

const comparedForm = /^(present|malformed)$/

/** The header values that a report may show unmasked: only registered words, nothing that a side could make up. */
const harmlessValues: Readonly<Record<string, RegExp>> = {
  'content-type':
    /^(application\/(json|problem\+json|octet-stream|pdf|zip)|text\/(html|plain|csv)|image\/(png|jpeg|webp|svg\+xml)|audio\/(mpeg|wav|aiff|flac))$/,
  'cache-control':
    /^((no-store|no-cache|private|public|must-revalidate|immutable|(max-age|s-maxage)=\d{1,8})(, ?(?!$)|$))+$/,
  allow: /^((GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)(, (?!$)|$))+$/,
  'retry-after': comparedForm,
  'www-authenticate': comparedForm,
  'accept-ranges': /^(bytes|none)$/,
  'content-range': comparedForm,
  etag: comparedForm,
  'x-service-core-runtime': /^(native|proxy)$/,
}

export const harmlessHeader = (name: string): LeafSchema => ({
  kind: 'leaf',
  format: 'plain',
  accepts: () => true,
  isReportable: (value) => typeof value === 'string' && harmlessValues[name]?.test(value) === true,
})

type ReduceHeader = (value: string) => string | null

const mediaType: ReduceHeader = (value) => (value.split(';', 1)[0] ?? '').trim().toLowerCase()

const presence: ReduceHeader = () => 'present'

/** Compares only the form, for values that differ even between two correct responses. */
const form =
  (pattern: RegExp): ReduceHeader =>
  (value) =>
    pattern.test(value) ? 'present' : 'malformed'

const methods: ReduceHeader = (value) =>
  value
    .split(',')
    .map((method) => method.trim().toUpperCase())
    .filter(Boolean)
    .sort()
    .join(', ')

/**
 * The headers that clients may rely on. All others depend on the transport or, like `x-service-*`, on the serving side.
 */
const contractHeaders = {
  'content-type': mediaType,
  allow: methods,
  location: urlPatternOf,
  // RFC 9110, section 10.2.3: whole seconds or a date.
  'retry-after': form(/^(\d+|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/),
  'www-authenticate': presence,
} satisfies Record<Exclude<ResponseHeaderName, `x-service-${string}`> | 'content-type', ReduceHeader>

// Headers for caching and range requests. They do not matter for documents, which must not be stored.
const storageHeaders: Readonly<Record<string, ReduceHeader>> = {
  'accept-ranges': (value) => value.trim().toLowerCase(),
  'content-range': form(/^bytes (\d+-\d+\/(\d+|\*)|\*\/\d+)$/),
  etag: form(/^(W\/)?"[^"]*"$/),
}

const isDocument = ({ headers }: RecordedResponse) => {
  const type = mediaType(headers['content-type'] ?? '')
  return type === '' || type === 'application/json' || type === 'text/html' || type === 'text/plain'
}

// Each side has its own base URL, so a declared `Location` is compared only from its version prefix on.
const pathOfResource = (location: string) => location.replace(/^(?:https?:\/)?\/[^?#]*?(?=\/v1\/)/i, '')

const resourcePatternOf: ReduceHeader = (location) => urlPatternOf(pathOfResource(location))

const listDeclaredHeaders = ({ headers }: Contract, { status }: RecordedResponse) =>
  listHeaderNames(headers?.[status] ?? {})

const headerAt = (name: string) => locationAt(`headers.${name}`)

const reduceHeader = ({ headers }: RecordedResponse, name: string, reduce: ReduceHeader) => {
  const value = headers[name]
  return value === undefined ? absent : reduce(value)
}

/** Whether a response is `no-store`. Native's must be; the core's do not have to be. */
export const forbidsStoring = ({ headers }: RecordedResponse) =>
  /\bno-store\b/i.test(headers['cache-control'] ?? '')

export const findMissingHeaders = (contract: Contract, response: RecordedResponse): readonly string[] =>
  listDeclaredHeaders(contract, response)
    .filter((name) => response.headers[name] === undefined)
    .map((name) => headerAt(name).path)

export const compareHeaders = (
  found: DifferenceCollector,
  contract: Contract,
  native: RecordedResponse,
  core: RecordedResponse,
) => {
  const compared: Readonly<Record<string, ReduceHeader>> = {
    ...contractHeaders,
    ...(isDocument(core) ? {} : storageHeaders),
    ...(listDeclaredHeaders(contract, core).includes('location') ? { location: resourcePatternOf } : {}),
  }
  for (const [name, reduce] of Object.entries(compared)) {
    const [ours, theirs] = [reduceHeader(native, name, reduce), reduceHeader(core, name, reduce)]
    if (ours !== theirs) found.add('header', headerAt(name), ours, theirs, harmlessHeader(name))
  }
  if (!forbidsStoring(native)) {
    found.add(
      'header',
      headerAt('cache-control'),
      native.headers['cache-control'] ?? absent,
      'no-store',
      harmlessHeader('cache-control'),
    )
  }
}

export const addLocationIds = (
  found: DifferenceCollector,
  contract: Contract,
  native: RecordedResponse,
  core: RecordedResponse,
) => {
  const [ours, theirs] = [native.headers.location, core.headers.location]
  if (ours === undefined || theirs === undefined || resourcePatternOf(ours) !== resourcePatternOf(theirs))
    return
  if (!listDeclaredHeaders(contract, core).includes('location')) return
  const coreSegments = pathOfResource(theirs).split('/')
  for (const [index, segment] of pathOfResource(ours).split('/').entries()) {
    const other = coreSegments[index]
    if (other !== undefined && other !== segment)
      found.addIdPair({
        location: headerAt('location'),
        schema: toDiffSchema(Id),
        native: segment,
        core: other,
      })
  }
}
