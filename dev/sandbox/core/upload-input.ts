import * as z from 'zod'
import { singleLineText } from './input.ts'
import type { CoreSettings } from './settings.ts'

const expandTypes = (prefix: string, suffixes: string) => suffixes.split(' ').map((suffix) => prefix + suffix)

const audio = expandTypes(
  'audio/',
  'mpeg mp3 wav x-wav wave vnd.wave flac x-flac aiff x-aiff mp4 x-m4a aac ogg opus webm',
)

// SVG is missing, because browsers run its scripts.
const images = expandTypes('image/', 'jpeg png webp gif avif heic heif tiff')

const documents = [
  ...expandTypes('text/', 'plain markdown csv'),
  ...expandTypes('application/', 'pdf rtf msword vnd.ms-excel vnd.ms-powerpoint'),
  ...expandTypes(
    'application/vnd.openxmlformats-officedocument.',
    'wordprocessingml.document spreadsheetml.sheet presentationml.presentation',
  ),
  ...expandTypes('application/vnd.oasis.opendocument.', 'text spreadsheet presentation'),
  ...images,
]

export const normalizeMediaType = (contentType: string) =>
  contentType.replace(/;.*$/s, '').trim().toLowerCase()

const file = (types: readonly string[], kind: string, maxBytes: number) =>
  z.object({
    fileName: singleLineText(1, 255).refine((name) => !/[/\\]/.test(name), 'slashes are not allowed'),
    contentType: z
      .string('expected a string')
      .transform(normalizeMediaType)
      .refine((type) => types.includes(type), `not a type of ${kind}`),
    byteSize: z
      .int({ error: 'expected a whole number', abort: true })
      .min(1, 'expected 1 or more')
      .max(maxBytes, `expected at most ${maxBytes}`),
  })

const documentType = z.enum(
  ['contract', 'license', 'split_sheet', 'cue_sheet', 'lyric_sheet', 'other'],
  'not a type of document',
)

export const uploadInputs = (settings: CoreSettings) => ({
  version: file(audio, 'audio', settings.UPLOAD_MAX_AUDIO_BYTES),
  artwork: file(images, 'image', settings.UPLOAD_MAX_ARTWORK_BYTES),
  document: file(documents, 'document', settings.UPLOAD_MAX_DOCUMENT_BYTES).extend({
    title: singleLineText(1, 200).nullish(),
    documentType: documentType.optional(),
  }),
})
