import * as z from 'zod'
import { AbsoluteUrl, Id, SignedUrl, Str, Timestamp } from './primitives.ts'

const typesOf = <F extends string, const S extends readonly string[]>(family: F, subtypes: S) =>
  subtypes.map((subtype): `${F}/${S[number]}` => `${family}/${subtype}`)

/** What a version may be. */
export const audioContentTypes = typesOf('audio', [
  'mpeg',
  'mp3',
  'wav',
  'x-wav',
  'wave',
  'vnd.wave',
  'flac',
  'x-flac',
  'aiff',
  'x-aiff',
  'mp4',
  'x-m4a',
  'aac',
  'ogg',
  'opus',
  'webm',
])

/** What artwork may be. An SVG is a document with scripts and therefore none of these. */
export const imageContentTypes = typesOf('image', [
  'jpeg',
  'png',
  'webp',
  'gif',
  'avif',
  'heic',
  'heif',
  'tiff',
])

/** What a document may be: PDF, text, office files and images. */
export const documentContentTypes = [
  ...typesOf('application', [
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
  ...typesOf('text', ['plain', 'markdown', 'csv']),
  ...imageContentTypes,
]

/** A media type without its parameters in lower case: `Audio/WAV; codecs=1` is `audio/wav`. */
export const mediaTypeOf = (contentType: string) => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()

const ContentType = <const T extends string>(allowed: readonly T[], kind: string) =>
  z
    .string()
    .transform(mediaTypeOf)
    .pipe(z.enum(allowed, { error: `must be the content type of ${kind}` }))

const FileName = Str(255).refine((name) => !/[/\\]/.test(name), {
  error: 'must not contain a slash or backslash',
})

// The largest size is a setting of the deployment and checked where settings are known.
const file = { fileName: FileName, byteSize: z.int().min(1) }

export const AudioUpload = z.object({ ...file, contentType: ContentType(audioContentTypes, 'an audio file') })

export const ArtworkUpload = z.object({ ...file, contentType: ContentType(imageContentTypes, 'an image') })

/** What a document is about. */
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
  contentType: ContentType(documentContentTypes, 'a document'),
  title: Str(200).nullable().default(null),
  documentType: DocumentType.optional(),
})

/** Where to put the bytes (`signedUrl`, with `requiredHeaders`) and what to call afterwards (`finalizeUrl`). */
export const UploadIntent = z.object({
  uploadId: Id,
  trackId: Id,
  assetId: Id,
  signedUrl: SignedUrl,
  method: z.literal('PUT'),
  expiresAt: Timestamp,
  requiredHeaders: z.record(z.string().regex(/^[a-z0-9-]+$/), z.string()),
  // It holds the ids of this upload and whatever address the gateway is reached by: its form is what is promised.
  finalizeUrl: AbsoluteUrl.meta({ format: 'signed-url' }),
})
export type UploadIntent = z.infer<typeof UploadIntent>
