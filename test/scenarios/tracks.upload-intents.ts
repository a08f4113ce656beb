import { contentTypeAliases } from '#contracts/shared/uploads.ts'
import { defineScenario } from '#migration/parity/run/scenario.ts'
import { type UploadLabel, withNewTrack, withSpareTrack } from './fixtures/tracks.ts'

type UploadIntentFields = Readonly<Record<string, unknown>>

const listTypes = (family: string, ...subtypes: readonly string[]) =>
  subtypes.map((subtype) => `${family}/${subtype}`)

const images = listTypes('image', 'jpeg', 'png', 'webp', 'gif', 'avif', 'heic', 'heif', 'tiff')
const mebibyte = 1024 * 1024

const kinds: readonly {
  readonly label: UploadLabel
  readonly defaultType: string
  readonly allowed: readonly string[]
  /** Other names for allowed types. The core rejects these. */
  readonly aliases: readonly string[]
  readonly forbidden: readonly string[]
  readonly maxBytes: number
}[] = [
  {
    label: 'tracks.versions.upload',
    defaultType: 'audio/wav',
    allowed: [
      ...listTypes('audio', 'mpeg', 'mp3', 'wav', 'x-wav', 'wave', 'vnd.wave', 'flac', 'x-flac'),
      ...listTypes('audio', 'aiff', 'x-aiff', 'mp4', 'x-m4a', 'aac', 'ogg', 'opus', 'webm'),
    ],
    aliases: contentTypeAliases.audio,
    forbidden: ['audio/midi', 'video/quicktime', 'application/ogg', 'image/png', 'audio'],
    maxBytes: 1024 * mebibyte,
  },
  {
    label: 'tracks.artwork.upload',
    defaultType: 'image/png',
    allowed: images,
    aliases: contentTypeAliases.image,
    forbidden: ['image/svg+xml', 'image/bmp', 'image/jpg', 'application/pdf', 'audio/wav'],
    maxBytes: 20 * mebibyte,
  },
  {
    label: 'tracks.documents.upload',
    defaultType: 'application/pdf',
    allowed: [
      ...listTypes('application', 'pdf', 'rtf', 'msword', 'vnd.ms-excel', 'vnd.ms-powerpoint'),
      ...['wordprocessingml.document', 'spreadsheetml.sheet', 'presentationml.presentation'].map(
        (format) => `application/vnd.openxmlformats-officedocument.${format}`,
      ),
      ...['text', 'spreadsheet', 'presentation'].map(
        (format) => `application/vnd.oasis.opendocument.${format}`,
      ),
      ...listTypes('text', 'plain', 'markdown', 'csv'),
      ...images,
    ],
    aliases: contentTypeAliases.document,
    forbidden: ['image/svg+xml', 'text/html', 'application/zip', 'application/octet-stream', 'audio/wav'],
    maxBytes: 50 * mebibyte,
  },
]

const invalidFields: readonly (readonly [title: string, fields: UploadIntentFields])[] = [
  ['a missing type', { contentType: undefined }],
  ['an empty type', { contentType: '' }],
  ['null as the type', { contentType: null }],
  ['a missing name', { fileName: undefined }],
  ['a name of spaces', { fileName: ' \u3000 ' }],
  ['a name of 256 characters', { fileName: 'a'.repeat(256) }],
  ['a name with a slash', { fileName: '../night.wav' }],
  ['a name with a backslash', { fileName: 'C:\\night.wav' }],
  ['a name with NUL', { fileName: 'night\0.wav' }],
  ['a name with a line feed', { fileName: 'night\n.wav' }],
  ['a number as the name', { fileName: 7 }],
  ['a missing size', { byteSize: undefined }],
  ['a size of 0', { byteSize: 0 }],
  ['a negative size', { byteSize: -1 }],
  ['a fractional size', { byteSize: 1.5 }],
  ['a size as text', { byteSize: '100' }],
  ['null as the size', { byteSize: null }],
  ['a size over the safe integers', { byteSize: 1e300 }],
]

const allKinds = kinds.flatMap(({ label, defaultType, allowed, aliases, forbidden, maxBytes }) => {
  const file = { fileName: 'night drive', contentType: defaultType, byteSize: 100 }
  const accepted = (title: string, fields: UploadIntentFields) =>
    defineScenario(label, 201, title, withNewTrack({ body: { ...file, ...fields } }))
  const rejected = (title: string, fields: UploadIntentFields) =>
    defineScenario(label, 400, `rejects ${title}`, withSpareTrack({ body: { ...file, ...fields } }))
  return [
    ...[...allowed, ...aliases].map((contentType) => accepted(`accepts ${contentType}`, { contentType })),
    accepted('ignores the case and the parameters of the type', {
      contentType: ` ${defaultType.toUpperCase()} ; a="b;c"`,
    }),
    accepted('accepts the maximum size', { byteSize: maxBytes }),
    accepted('accepts a name of 255 emoji', { fileName: ` ${'\u{1F3B5}'.repeat(255)} ` }),
    accepted('ignores unknown fields', { ownerId: 'acct_other', assetId: 'mine', storageKey: 'x' }),
    defineScenario(
      label,
      201,
      'ignores the content type of the request',
      withNewTrack({ body: file, headers: { 'content-type': 'text/plain' } }),
    ),
    ...forbidden.map((contentType) => rejected(contentType, { contentType })),
    rejected('a size over the maximum', { byteSize: maxBytes + 1 }),
    ...invalidFields.map(([title, fields]) => rejected(title, fields)),
    defineScenario(label, 400, 'rejects an empty body', withSpareTrack({ text: '' })),
  ]
})

const documentFields = [
  ...['contract', 'license', 'split_sheet', 'cue_sheet', 'lyric_sheet', 'other'].map(
    (documentType) => [201, `accepts documentType ${documentType}`, { documentType }] as const,
  ),
  [201, 'accepts null as the title', { title: null }],
  [201, 'accepts a title of 200 characters', { title: ` ${'\u{1F3B5}'.repeat(200)} ` }],
  [400, 'rejects an empty title', { title: ' ' }],
  [400, 'rejects a title of 201 characters', { title: 'a'.repeat(201) }],
  [400, 'rejects a number as the title', { title: 7 }],
  [400, 'rejects an unknown document type', { documentType: 'poem' }],
  [400, 'rejects null as the document type', { documentType: null }],
] as const

export const trackUploadIntents = [
  ...allKinds,
  ...documentFields.map(([status, title, fields]) => {
    const body = { fileName: 'deed.pdf', contentType: 'application/pdf', byteSize: 1, ...fields }
    return defineScenario('tracks.documents.upload', status, title, withNewTrack({ body }))
  }),
]
