import { scenario } from '../contract-run/scenario.ts'
import { inVain, ofNewTrack, type UploadLabel } from './fixtures/tracks.ts'

type Fields = Readonly<Record<string, unknown>>

const of = (family: string, ...subtypes: readonly string[]) =>
  subtypes.map((subtype) => `${family}/${subtype}`)

const images = of('image', 'jpeg', 'png', 'webp', 'gif', 'avif', 'heic', 'heif', 'tiff')
const mebibyte = 1024 * 1024

const kinds: readonly {
  readonly label: UploadLabel
  readonly usual: string
  readonly allowed: readonly string[]
  readonly forbidden: readonly string[]
  readonly mostBytes: number
}[] = [
  {
    label: 'tracks.versions.upload',
    usual: 'audio/wav',
    allowed: [
      ...of('audio', 'mpeg', 'mp3', 'wav', 'x-wav', 'wave', 'vnd.wave', 'flac', 'x-flac'),
      ...of('audio', 'aiff', 'x-aiff', 'mp4', 'x-m4a', 'aac', 'ogg', 'opus', 'webm'),
    ],
    forbidden: ['audio/midi', 'video/mp4', 'application/ogg', 'image/png', 'audio'],
    mostBytes: 1024 * mebibyte,
  },
  {
    label: 'tracks.artwork.upload',
    usual: 'image/png',
    allowed: images,
    forbidden: ['image/svg+xml', 'image/bmp', 'image/jpg', 'application/pdf', 'audio/wav'],
    mostBytes: 20 * mebibyte,
  },
  {
    label: 'tracks.documents.upload',
    usual: 'application/pdf',
    allowed: [
      ...of('application', 'pdf', 'rtf', 'msword', 'vnd.ms-excel', 'vnd.ms-powerpoint'),
      ...['wordprocessingml.document', 'spreadsheetml.sheet', 'presentationml.presentation'].map(
        (format) => `application/vnd.openxmlformats-officedocument.${format}`,
      ),
      ...['text', 'spreadsheet', 'presentation'].map(
        (format) => `application/vnd.oasis.opendocument.${format}`,
      ),
      ...of('text', 'plain', 'markdown', 'csv'),
      ...images,
    ],
    forbidden: ['image/svg+xml', 'text/html', 'application/zip', 'application/octet-stream', 'audio/wav'],
    mostBytes: 50 * mebibyte,
  },
]

const refused: readonly (readonly [what: string, fields: Fields])[] = [
  ['no type', { contentType: undefined }],
  ['an empty type', { contentType: '' }],
  ['null for a type', { contentType: null }],
  ['no name', { fileName: undefined }],
  ['a name of spaces', { fileName: ' \u3000 ' }],
  ['a name of 256 characters', { fileName: 'a'.repeat(256) }],
  ['a name with a slash', { fileName: '../night.wav' }],
  ['a name with a backslash', { fileName: 'C:\\night.wav' }],
  ['a name with NUL', { fileName: 'night\0.wav' }],
  ['a name with a line feed', { fileName: 'night\n.wav' }],
  ['a name that is a number', { fileName: 7 }],
  ['no size', { byteSize: undefined }],
  ['no bytes', { byteSize: 0 }],
  ['less than no bytes', { byteSize: -1 }],
  ['half a byte', { byteSize: 1.5 }],
  ['a size that is a text', { byteSize: '100' }],
  ['null for a size', { byteSize: null }],
  ['a size beyond all numbers', { byteSize: 1e300 }],
]

const ofEveryKind = kinds.flatMap(({ label, usual, allowed, forbidden, mostBytes }) => {
  const file = { fileName: 'night drive', contentType: usual, byteSize: 100 }
  const announced = (title: string, fields: Fields) =>
    scenario(label, 201, title, ofNewTrack({ body: { ...file, ...fields } }))
  const refusal = (what: string, fields: Fields) =>
    scenario(label, 400, `refuses ${what}`, inVain({ body: { ...file, ...fields } }))
  return [
    ...allowed.map((contentType) => announced(`takes ${contentType}`, { contentType })),
    announced('reads a type without case and parameters', {
      contentType: ` ${usual.toUpperCase()} ; a="b;c"`,
    }),
    announced('takes the largest size', { byteSize: mostBytes }),
    announced('takes 255 characters as people count them', { fileName: ` ${'\u{1F3B5}'.repeat(255)} ` }),
    announced('ignores fields it does not know', { ownerId: 'acct_other', assetId: 'mine', storageKey: 'x' }),
    scenario(
      label,
      201,
      'does not look at the content type of the request',
      ofNewTrack({ body: file, headers: { 'content-type': 'text/plain' } }),
    ),
    ...forbidden.map((contentType) => refusal(contentType, { contentType })),
    refusal('a byte more than the largest size', { byteSize: mostBytes + 1 }),
    ...refused.map(([what, fields]) => refusal(what, fields)),
    scenario(label, 400, 'refuses an empty body', inVain({ text: '' })),
  ]
})

const documentFields = [
  ...['contract', 'license', 'split_sheet', 'cue_sheet', 'lyric_sheet', 'other'].map(
    (documentType) => [201, `takes a ${documentType}`, { documentType }] as const,
  ),
  [201, 'takes null for a title', { title: null }],
  [201, 'takes a title of 200 characters', { title: ` ${'\u{1F3B5}'.repeat(200)} ` }],
  [400, 'refuses an empty title', { title: ' ' }],
  [400, 'refuses a title of 201 characters', { title: 'a'.repeat(201) }],
  [400, 'refuses a title that is a number', { title: 7 }],
  [400, 'refuses a document that nobody knows', { documentType: 'poem' }],
  [400, 'refuses null for what it is', { documentType: null }],
] as const

export const trackUploadIntents = [
  ...ofEveryKind,
  ...documentFields.map(([status, title, fields]) => {
    const body = { fileName: 'deed.pdf', contentType: 'application/pdf', byteSize: 1, ...fields }
    return scenario('tracks.documents.upload', status, title, ofNewTrack({ body }))
  }),
]
