import * as z from 'zod'
import { line } from './input.ts'
import type { MediaLimits } from './media-limits.ts'

const typesOf = (start: string, ends: string) => ends.split(' ').map((end) => start + end)

const audio = typesOf(
  'audio/',
  'mpeg mp3 wav x-wav wave vnd.wave flac x-flac aiff x-aiff mp4 x-m4a aac ogg opus webm',
)

// Not SVG: a browser runs its scripts.
const images = typesOf('image/', 'jpeg png webp gif avif heic heif tiff')

const documents = [
  ...typesOf('text/', 'plain markdown csv'),
  ...typesOf('application/', 'pdf rtf msword vnd.ms-excel vnd.ms-powerpoint'),
  ...typesOf(
    'application/vnd.openxmlformats-officedocument.',
    'wordprocessingml.document spreadsheetml.sheet presentationml.presentation',
  ),
  ...typesOf('application/vnd.oasis.opendocument.', 'text spreadsheet presentation'),
  ...images,
]

/** A media type as types are compared: in lower case and without parameters. */
export const mediaTypeOf = (contentType: string) => contentType.replace(/;.*$/s, '').trim().toLowerCase()

const file = (types: readonly string[], kind: string, maxBytes: number) =>
  z.object({
    fileName: line(1, 255).refine((name) => !/[/\\]/.test(name), 'slashes are not allowed'),
    contentType: z
      .string('expected a string')
      .transform(mediaTypeOf)
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

/** What has to be said of a file before it is uploaded, by what it will be. */
export const uploadInputs = ({ audioBytes, artworkBytes, documentBytes }: MediaLimits) => ({
  version: file(audio, 'audio', audioBytes),
  artwork: file(images, 'image', artworkBytes),
  document: file(documents, 'document', documentBytes).extend({
    title: line(1, 200).nullish(),
    documentType: documentType.optional(),
  }),
})
