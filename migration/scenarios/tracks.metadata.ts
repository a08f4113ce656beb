import { scenario } from '../contract-run/scenario.ts'
import { anOwner, inVain, ofNewTrack } from './fixtures/tracks.ts'

const label = 'tracks.metadata.update'

const changes: readonly (readonly [title: string, body: Readonly<Record<string, unknown>>])[] = [
  ['keeps a title trimmed', { title: '  Night  Drive\u3000' }],
  ['takes 300 characters as people count them', { title: '\u{1F3B5}'.repeat(300), artist: 'é'.repeat(300) }],
  [
    'changes everything at once',
    { title: 'B', artist: 'A', isrc: 'GBAYE6800023', releaseDate: '2024-02-29' },
  ],
  ['ignores fields it does not know', { title: 'B', ownerId: 'acct_other', durationMs: 1, id: 'mine' }],
  ['keeps the separators of an ISRC', { isrc: ' gb-aye-68-00023 ' }],
  ['takes an ISRC with its label', { isrc: 'ISRC GB-AYE-68-00023' }],
  ['takes an ISRC with its label right in front', { isrc: 'isrcGBAYE6800023' }],
  ['takes an ISRC of Iceland that begins like the label', { isrc: 'ISRC12345678' }],
  ['takes an ISRC with spaces that do not break', { isrc: 'GB\u00A0AYE\u00A068\u00A000023' }],
  ['keeps the separators of an ISWC', { iswc: 't-034.524.680-1' }],
  ['takes an ISWC with spaces', { iswc: 'T 034 524 680 1' }],
  ['takes an ISWC without separators', { iswc: 'T0345246801' }],
  ['takes the first year there is', { releaseDate: '0001-01-01' }],
  ['clears what is not there', { isrc: null, iswc: null, releaseDate: null }],
]

const refused: readonly (readonly [what: string, body: Readonly<Record<string, unknown>>])[] = [
  ['nothing', {}],
  ['nothing known', { colour: 'red' }],
  ['null for a title', { title: null }],
  ['null for an artist', { artist: null }],
  ['an empty title', { title: '' }],
  ['an artist of spaces', { artist: ' \u3000 ' }],
  ['a title of 301 characters', { title: 'a'.repeat(301) }],
  ['a title that is a number', { title: 7 }],
  ['a line feed', { title: 'Night\nDrive' }],
  ['half a surrogate pair', { artist: 'Night \ud83c' }],
  ['an ISRC that is too short', { isrc: 'GBAYE680002' }],
  ['an ISRC of other letters', { isrc: '1BAYE6800023' }],
  ['an ISRC with dots', { isrc: 'GB.AYE.68.00023' }],
  ['an ISRC that is nothing but its label', { isrc: 'ISRC' }],
  ['an empty ISRC', { isrc: '' }],
  ['an ISRC of 65 characters', { isrc: `GBAYE6800023${'-'.repeat(53)}` }],
  ['an ISRC that is a number', { isrc: 680_002_312_345 }],
  ['an ISWC that is too short', { iswc: 'T-034.524.680' }],
  ['an ISWC of another letter', { iswc: 'U-034.524.680-1' }],
  ['an empty ISWC', { iswc: ' ' }],
  ['a day that does not exist', { releaseDate: '2023-02-29' }],
  ['a day without its zeros', { releaseDate: '2024-1-1' }],
  ['a moment for a day', { releaseDate: '2024-02-29T00:00:00Z' }],
  ['a day with spaces', { releaseDate: ' 2024-02-29' }],
  ['the year 0', { releaseDate: '0000-01-01' }],
  ['an empty day', { releaseDate: '' }],
  ['a whole change of which one field is wrong', { title: 'New', isrc: 'wrong' }],
]

export const trackMetadata = [
  ...changes.map(([title, body]) => scenario(label, 200, title, ofNewTrack({ body }))),
  scenario(label, 200, 'leaves what is not named as it is', async (world) => {
    const { owner, params } = await anOwner(world)
    const body = { isrc: 'GB-AYE-68-00023', iswc: 'T-034.524.680-1', releaseDate: '2024-02-29' }
    await owner.call(label, { params, body })
    return { as: owner, params, body: { artist: 'Somebody else' } }
  }),
  scenario(label, 200, 'clears what is null', async (world) => {
    const { owner, params } = await anOwner(world)
    const body = { isrc: 'GB-AYE-68-00023', iswc: 'T-034.524.680-1', releaseDate: '2024-02-29' }
    await owner.call(label, { params, body })
    return { as: owner, params, body: { isrc: null, iswc: null, releaseDate: null } }
  }),
  scenario(
    label,
    200,
    'does not look at the content type',
    ofNewTrack({ body: { title: 'B' }, headers: { 'content-type': 'text/plain' } }),
  ),
  ...refused.map(([what, body]) => scenario(label, 400, `refuses ${what}`, inVain({ body }))),
  ...[
    ['an empty body', ''],
    ['a text for a body', '"Night"'],
    ['a number for a body', '7'],
    ['a field of the prototype', '{"__proto__":{"title":"Night"}}'],
  ].map(([what, text]) => scenario(label, 400, `refuses ${what}`, inVain({ text }))),
]
