import type { LeafSchema } from './diff-schema.ts'

const form = /^(present|malformed)$/

/** The header values that a report may show unmasked: only registered words, nothing that a side could make up. */
const harmlessValues: Readonly<Record<string, RegExp>> = {
  'content-type':
    /^(application\/(json|problem\+json|octet-stream|pdf|zip)|text\/(html|plain|csv)|image\/(png|jpeg|webp|svg\+xml)|audio\/(mpeg|wav|aiff|flac))$/,
  'cache-control':
    /^((no-store|no-cache|private|public|must-revalidate|immutable|(max-age|s-maxage)=\d{1,8})(, ?(?!$)|$))+$/,
  allow: /^((GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)(, (?!$)|$))+$/,
  'retry-after': form,
  'www-authenticate': form,
  'accept-ranges': /^(bytes|none)$/,
  'content-range': form,
  etag: form,
  'x-service-core-runtime': /^(native|proxy)$/,
}

/** Returns the schema of a header's value. A report masks the value unless it is known to be harmless. */
export const harmlessHeader = (name: string): LeafSchema => ({
  kind: 'leaf',
  format: 'plain',
  accepts: () => true,
  isReportable: (value) => typeof value === 'string' && harmlessValues[name]?.test(value) === true,
})
