import * as z from 'zod'
import { audioFormats } from './audio-formats.ts'
import { AbsoluteUrl, Id, SignedUrl, Str, Timestamp } from './primitives.ts'

const joinMediaTypes = <F extends string, const S extends readonly string[]>(family: F, subtypes: S) =>
  subtypes.map((subtype): `${F}/${S[number]}` => `${family}/${subtype}`)

export const audioContentTypes = Object.values(audioFormats).flatMap(({ types }) => types)

/** Not SVG, which can contain scripts. */
export const imageContentTypes = joinMediaTypes('image', [
  'jpeg',
  'png',
  'webp',
  'gif',
  'avif',
  'heic',
  'heif',
  'tiff',
])

export const documentContentTypes = [
  ...joinMediaTypes('application', [
    'pdf',
    'rtf',
    'msword',
    'vnd.openxmlformats-officedocument.wordprocessingml.document',
    'vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'vnd.openxmlformats-officedocument.presentationml.presentation',
    'vnd.ms-excel',
    'vnd.ms-powerpoint',
    'vnd.oasis.opendocument.text',
    'vnd.oasis.opendocument.spreadsheet',
    'vnd.oasis.opendocument.presentation',
  ]),
  ...joinMediaTypes('text', ['plain', 'markdown', 'csv']),
  ...imageContentTypes,
]

/** Other names for these types. Only native accepts them; the core accepts only the types above. */
export const contentTypeAliases = {
  audio: Object.values(audioFormats).flatMap((format) => ('aliases' in format ? format.aliases : [])),
  image: joinMediaTypes('image', ['apng']),
  document: [...joinMediaTypes('text', ['rtf']), ...joinMediaTypes('image', ['apng'])],
} as const

/** Returns a media type in lower case without parameters: `Audio/WAV; codecs=1` becomes `audio/wav`. */
export const mediaTypeOf = (contentType: string) => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()

const ContentType = <const T extends string>(allowed: readonly T[], kind: string) =>
  z
    .string()
    .transform(mediaTypeOf)
    .pipe(z.enum(allowed, { error: `must be the content type of ${kind}` }))

const FileName = Str(255).refine((name) => !/[/\\]/.test(name), {
  error: 'must not contain a slash or backslash',
})

// The maximum size is a setting, which the handler checks.
const file = { fileName: FileName, byteSize: z.int().min(1) }

export const AudioUpload = z.object({
  ...file,
  contentType: ContentType([...audioContentTypes, ...contentTypeAliases.audio], 'an audio file'),
})

export const ArtworkUpload = z.object({
  ...file,
  contentType: ContentType([...imageContentTypes, ...contentTypeAliases.image], 'an image'),
})

export const DocumentType = z.enum([
  'contract',
  'license',
  'split_sheet',
  'cue_sheet',
  'lyric_sheet',
  'other',
])

export const DocumentUpload = z.object({
  ...file,
  contentType: ContentType([...documentContentTypes, ...contentTypeAliases.document], 'a document'),
  title: Str(200).nullable().default(null),
  documentType: DocumentType.optional(),
})

/** Send the bytes to `signedUrl` with `requiredHeaders`, then call `finalizeUrl`. */
export const UploadIntent = z.object({
  uploadId: Id,
  trackId: Id,
  assetId: Id,
  signedUrl: SignedUrl,
  method: z.literal('PUT'),
  expiresAt: Timestamp,
  requiredHeaders: z.record(z.string().regex(/^[a-z0-9-]+$/), z.string()),
  // Contains this upload's ids and the gateway's own base URL, so comparisons check only its format.
  finalizeUrl: AbsoluteUrl.meta({ format: 'signed-url' }),
})
export type UploadIntent = z.infer<typeof UploadIntent>
