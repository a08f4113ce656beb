import { defineScenario } from '#migration/parity/run/scenario.ts'
import { createOwnedTrack, withNewTrack, withSpareTrack } from './fixtures/tracks.ts'

const label = 'tracks.metadata.update'

const validBodies: readonly (readonly [title: string, body: Readonly<Record<string, unknown>>])[] = [
  ['trims the title', { title: '  Cafe\u0301  Drive\u3000' }],
  [
    'accepts 300 characters outside the basic multilingual plane',
    { title: '\u{1F3B5}'.repeat(300), artist: 'é'.repeat(300) },
  ],
  ['changes all fields', { title: 'B', artist: 'A', isrc: 'GBAYE6800023', releaseDate: '2024-02-29' }],
  ['ignores unknown fields', { title: 'B', ownerId: 'acct_other', durationMs: 1, id: 'mine' }],
  ['accepts an ISRC with separators', { isrc: ' gb-aye-68-00023 ' }],
  ['accepts an ISRC with a prefix', { isrc: 'ISRC GB-AYE-68-00023' }],
  ['accepts an ISRC with a prefix without a space', { isrc: 'isrcGBAYE6800023' }],
  ['accepts an Icelandic ISRC that starts with ISRC', { isrc: 'ISRC12345678' }],
  ['accepts an ISRC with no-break spaces', { isrc: 'GB\u00A0AYE\u00A068\u00A000023' }],
  ['accepts an ISWC with separators', { iswc: 't-034.524.680-1' }],
  ['accepts an ISWC with spaces', { iswc: 'T 034 524 680 1' }],
  ['accepts an ISWC without separators', { iswc: 'T0345246801' }],
  ['accepts the year 1', { releaseDate: '0001-01-01' }],
  ['clears fields that are not set', { isrc: null, iswc: null, releaseDate: null }],
]

const invalidBodies: readonly (readonly [title: string, body: Readonly<Record<string, unknown>>])[] = [
  ['an empty object', {}],
  ['only unknown fields', { colour: 'red' }],
  ['null as the title', { title: null }],
  ['null as the artist', { artist: null }],
  ['an empty title', { title: '' }],
  ['an artist of spaces', { artist: ' \u3000 ' }],
  ['a title of 301 characters', { title: 'a'.repeat(301) }],
  ['a number as the title', { title: 7 }],
  ['a line feed', { title: 'Night\nDrive' }],
  ['a lone surrogate', { artist: 'Night \ud83c' }],
  ['an ISRC that is too short', { isrc: 'GBAYE680002' }],
  ['an ISRC with invalid characters', { isrc: '1BAYE6800023' }],
  ['an ISRC with dots', { isrc: 'GB.AYE.68.00023' }],
  ['an ISRC of only the prefix', { isrc: 'ISRC' }],
  ['an empty ISRC', { isrc: '' }],
  ['an ISRC of 65 characters', { isrc: `GBAYE6800023${'-'.repeat(53)}` }],
  ['a number as the ISRC', { isrc: 680_002_312_345 }],
  ['an ISWC that is too short', { iswc: 'T-034.524.680' }],
  ['an ISWC with another first letter', { iswc: 'U-034.524.680-1' }],
  ['an empty ISWC', { iswc: ' ' }],
  ['a date that does not exist', { releaseDate: '2023-02-29' }],
  ['a date without leading zeros', { releaseDate: '2024-1-1' }],
  ['a timestamp as the date', { releaseDate: '2024-02-29T00:00:00Z' }],
  ['a date with a leading space', { releaseDate: ' 2024-02-29' }],
  ['the year 0', { releaseDate: '0000-01-01' }],
  ['an empty date', { releaseDate: '' }],
  ['two fields, one of them invalid', { title: 'New', isrc: 'wrong' }],
]

export const trackMetadata = [
  ...validBodies.map(([title, body]) => defineScenario(label, 200, title, withNewTrack({ body }))),
  defineScenario(label, 200, 'keeps fields that are not in the body', async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    const body = { isrc: 'GB-AYE-68-00023', iswc: 'T-034.524.680-1', releaseDate: '2024-02-29' }
    await owner.call(label, { params, body })
    return { as: owner, params, body: { artist: 'Another artist' } }
  }),
  defineScenario(label, 200, 'clears fields that are null', async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    const body = { isrc: 'GB-AYE-68-00023', iswc: 'T-034.524.680-1', releaseDate: '2024-02-29' }
    await owner.call(label, { params, body })
    return { as: owner, params, body: { isrc: null, iswc: null, releaseDate: null } }
  }),
  defineScenario(
    label,
    200,
    'ignores the content type',
    withNewTrack({ body: { title: 'B' }, headers: { 'content-type': 'text/plain' } }),
  ),
  ...invalidBodies.map(([title, body]) =>
    defineScenario(label, 400, `rejects ${title}`, withSpareTrack({ body })),
  ),
  ...[
    ['an empty body', ''],
    ['a string as the body', '"Night"'],
    ['a number as the body', '7'],
    ['a __proto__ field', '{"__proto__":{"title":"Night"}}'],
  ].map(([title, text]) => defineScenario(label, 400, `rejects ${title}`, withSpareTrack({ text }))),
]
