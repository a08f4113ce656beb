import { scenario } from '../contract-run/scenario.ts'
import { anOwner, fullTrack, inVain, ofNewTrack, ofShared } from './fixtures/tracks.ts'

const label = 'tracks.lyrics.replace'

const line = (startMs: number, text = 'La', endMs: number | null = null) => ({ startMs, endMs, text })
const linesOf = (count: number) => Array.from({ length: count }, (_, place) => line(place * 10))

const written: readonly (readonly [title: string, body: Readonly<Record<string, unknown>>])[] = [
  ['writes a text', { text: 'Night drive\n\tall alone' }],
  ['keeps a text as it was sent', { text: '  Night  drive \n' }],
  ['takes 50,000 characters as people count them', { text: '\u{1F3B5}'.repeat(50_000) }],
  ['makes the text of the lines', { lines: [line(0, 'Night drive', 900), line(1000, 'all alone')] }],
  ['keeps a text beside the lines', { text: 'Night drive', lines: [line(0, 'Nacht', 1)] }],
  ['keeps an empty text beside lines', { text: '', lines: [line(0)] }],
  ['takes lines without an end', { lines: [{ startMs: 0, text: 'a' }] }],
  ['takes lines that begin together', { lines: [line(5, 'a', 9), line(5, 'b', 6)] }],
  ['takes lines that say nothing', { lines: [line(0, ''), line(1, '')] }],
  ['takes 2,000 lines', { lines: linesOf(2000) }],
  ['takes a line of 1,000 characters', { lines: [line(0, '\u{1F3B5}'.repeat(1000))] }],
  ['takes a line beyond 32 bits', { lines: [line(2_147_483_648, 'a', 2_147_483_649)] }],
  ['keeps a language trimmed', { text: 'a', language: ' pt-br ' }],
  ['takes a language of many parts', { text: 'a', language: 'zh-cmn-Hans-CN' }],
  ['takes a private language', { text: 'a', language: 'x-whatever' }],
  ['takes a language of old', { text: 'a', language: 'i-Klingon' }],
  ['takes a language with an extension', { text: 'a', language: 'de-DE-1996-u-co-phonebk' }],
  ['takes a language of 64 characters', { text: 'a', language: `x${'-abcdefg'.repeat(7)}-abcdef` }],
  ['takes null for a language', { text: 'a', language: null }],
  ['ignores fields it does not know', { text: 'a', source: 'ai', status: 'failed', provider: 'p' }],
  ['clears them by an empty text', { text: '' }],
  ['clears them by no lines', { lines: [] }],
  ['clears them by both, and keeps the language', { text: '', lines: [], language: 'en' }],
]

const refused: readonly (readonly [what: string, body: Readonly<Record<string, unknown>>])[] = [
  ['nothing', {}],
  ['a language alone', { language: 'en' }],
  ['null for a text', { text: null }],
  ['null for a text beside lines', { text: null, lines: [] }],
  ['a text that is a number', { text: 7 }],
  ['50,001 characters', { text: 'a'.repeat(50_001) }],
  ['a control character', { text: 'Night\u0007' }],
  ['a carriage return', { text: 'Night\r\nDrive' }],
  ['half a surrogate pair', { text: '\ud83c' }],
  ['null for lines', { lines: null }],
  ['lines that are texts', { lines: ['Night drive'] }],
  ['lines that descend', { lines: [line(10), line(9)] }],
  ['a line that ends as it begins', { lines: [line(10, 'a', 10)] }],
  ['a line that ends before it begins', { lines: [line(10, 'a', 9)] }],
  ['a line before the beginning', { lines: [line(-1)] }],
  ['half a millisecond', { lines: [line(0.5)] }],
  ['a beginning that is a text', { lines: [{ startMs: '0', text: 'a' }] }],
  ['a line without a beginning', { lines: [{ text: 'a' }] }],
  ['a line without a text', { lines: [{ startMs: 0 }] }],
  ['a line of 1,001 characters', { lines: [line(0, 'a'.repeat(1001))] }],
  ['2,001 lines', { lines: linesOf(2001) }],
  ['an empty language', { text: 'a', language: '' }],
  ['a language with an underscore', { text: 'a', language: 'en_US' }],
  ['a language that begins with a script', { text: 'a', language: 'en-US-Latn' }],
  ['a language in words', { text: 'a', language: 'English, mostly' }],
  ['a language of 65 characters', { text: 'a', language: `x${'-abcdefgh'.repeat(7)}-` }],
  ['a language that is well-formed but longer', { text: 'a', language: `x${'-abcdefg'.repeat(8)}` }],
]

const firstLyrics = { text: 'Old', language: 'en', lines: [line(0, 'Old')] }

export const trackLyrics = [
  scenario('tracks.lyrics.detail', 200, 'shows that there are none', ofNewTrack({})),
  scenario('tracks.lyrics.detail', 200, 'shows those that came with a file', ofShared(fullTrack)),
  scenario('tracks.lyrics.detail', 200, 'shows what was cleared', async (world) => {
    const { owner, params } = await anOwner(world)
    await owner.call(label, { params, body: firstLyrics })
    await owner.call(label, { params, body: { text: '' } })
    return { as: owner, params }
  }),
  ...written.map(([title, body]) => scenario(label, 200, title, ofNewTrack({ body }))),
  ...[
    ['replaces all of it', { text: 'New' }],
    ['clears what was there', { text: '' }],
  ].map(([title, body]) =>
    scenario(label, 200, `${title}`, async (world) => {
      const { owner, params } = await anOwner(world)
      await owner.call(label, { params, body: firstLyrics })
      return { as: owner, params, body }
    }),
  ),
  scenario(
    label,
    200,
    'does not look at the content type',
    ofNewTrack({ body: { text: 'a' }, headers: { 'content-type': 'text/plain' } }),
  ),
  ...refused.map(([what, body]) => scenario(label, 400, `refuses ${what}`, inVain({ body }))),
  scenario(label, 400, 'refuses an empty body', inVain({ text: '' })),
]
