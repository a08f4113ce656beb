import { defineScenario } from '#migration/parity/run/scenario.ts'
import {
  createOwnedTrack,
  getFullTrack,
  withNewTrack,
  withSharedTrack,
  withSpareTrack,
} from './fixtures/tracks.ts'

const label = 'tracks.lyrics.replace'

const line = (startMs: number, text = 'La', endMs: number | null = null) => ({ startMs, endMs, text })
const createLines = (count: number) => Array.from({ length: count }, (_, index) => line(index * 10))

const validBodies: readonly (readonly [title: string, body: Readonly<Record<string, unknown>>])[] = [
  ['writes the text', { text: 'Night drive\n\tall alone' }],
  ['stores the text unchanged', { text: '  Cafe\u0301  drive \n' }],
  ['stores a text of spaces', { text: ' \n ' }],
  ['accepts a text of 50,000 emoji', { text: '\u{1F3B5}'.repeat(50_000) }],
  ['derives the text from the lines', { lines: [line(0, 'Night drive', 900), line(1000, 'all alone')] }],
  ['stores a text that differs from the lines', { text: 'Night drive', lines: [line(0, 'Nacht', 1)] }],
  ['stores an empty text with lines', { text: '', lines: [line(0)] }],
  ['accepts lines without an end', { lines: [{ startMs: 0, text: 'a' }] }],
  ['accepts lines with the same start', { lines: [line(5, 'a', 9), line(5, 'b', 6)] }],
  ['accepts empty lines', { lines: [line(0, ''), line(1, '')] }],
  ['accepts 2,000 lines', { lines: createLines(2000) }],
  ['accepts a line of 1,000 characters', { lines: [line(0, '\u{1F3B5}'.repeat(1000))] }],
  ['accepts a line time over 32 bits', { lines: [line(2_147_483_648, 'a', 2_147_483_649)] }],
  ['trims the language', { text: 'a', language: ' pt-br ' }],
  ['accepts a language with many subtags', { text: 'a', language: 'zh-cmn-Hans-CN' }],
  ['accepts a language with a numeric region', { text: 'a', language: 'es-419' }],
  ['accepts a private-use language', { text: 'a', language: 'x-whatever' }],
  ['accepts a grandfathered language', { text: 'a', language: 'i-Klingon' }],
  ['accepts a language with an extension', { text: 'a', language: 'de-DE-1996-u-co-phonebk' }],
  ['accepts a language of 64 characters', { text: 'a', language: `x${'-abcdefg'.repeat(7)}-abcdef` }],
  ['accepts null as the language', { text: 'a', language: null }],
  ['ignores unknown fields', { text: 'a', source: 'ai', status: 'failed', provider: 'p' }],
  ['clears the lyrics with an empty text', { text: '' }],
  ['clears the lyrics with empty lines', { lines: [] }],
  ['clears the lyrics with both and stores the language', { text: '', lines: [], language: 'en' }],
]

const invalidBodies: readonly (readonly [title: string, body: Readonly<Record<string, unknown>>])[] = [
  ['an empty object', {}],
  ['only a language', { language: 'en' }],
  ['null as the text', { text: null }],
  ['null as the text with lines', { text: null, lines: [] }],
  ['a number as the text', { text: 7 }],
  ['a text of 50,001 characters', { text: 'a'.repeat(50_001) }],
  ['a control character', { text: 'Night\u0007' }],
  ['a carriage return', { text: 'Night\r\nDrive' }],
  ['a lone surrogate', { text: '\ud83c' }],
  ['null as the lines', { lines: null }],
  ['strings as the lines', { lines: ['Night drive'] }],
  ['lines in descending order', { lines: [line(10), line(9)] }],
  ['a line that ends at its start', { lines: [line(10, 'a', 10)] }],
  ['a line that ends before its start', { lines: [line(10, 'a', 9)] }],
  ['a line with a negative start', { lines: [line(-1)] }],
  ['a fractional start', { lines: [line(0.5)] }],
  ['a start as text', { lines: [{ startMs: '0', text: 'a' }] }],
  ['a line without a start', { lines: [{ text: 'a' }] }],
  ['a line without a text', { lines: [{ startMs: 0 }] }],
  ['a line of 1,001 characters', { lines: [line(0, 'a'.repeat(1001))] }],
  ['2,001 lines', { lines: createLines(2001) }],
  ['an empty language', { text: 'a', language: '' }],
  ['a language with an underscore', { text: 'a', language: 'en_US' }],
  ['a language with subtags in the wrong order', { text: 'a', language: 'en-US-Latn' }],
  ['a language name', { text: 'a', language: 'English, mostly' }],
  ['a language of 65 characters', { text: 'a', language: `x${'-abcdefgh'.repeat(7)}-` }],
  ['a well-formed language over the maximum length', { text: 'a', language: `x${'-abcdefg'.repeat(8)}` }],
]

const firstLyrics = { text: 'Old', language: 'en', lines: [line(0, 'Old')] }

export const trackLyrics = [
  defineScenario('tracks.lyrics.detail', 200, 'returns empty lyrics for a new track', withNewTrack({})),
  defineScenario('tracks.lyrics.detail', 200, 'returns the lyrics of a file', withSharedTrack(getFullTrack)),
  defineScenario('tracks.lyrics.detail', 200, 'returns lyrics that were cleared', async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    await owner.call(label, { params, body: firstLyrics })
    await owner.call(label, { params, body: { text: '' } })
    return { as: owner, params }
  }),
  ...validBodies.map(([title, body]) => defineScenario(label, 200, title, withNewTrack({ body }))),
  ...[
    ['replaces all fields', { text: 'New' }],
    ['clears existing lyrics', { text: '' }],
  ].map(([title, body]) =>
    defineScenario(label, 200, `${title}`, async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      await owner.call(label, { params, body: firstLyrics })
      return { as: owner, params, body, reads: [{ label: 'tracks.detail', as: owner, params }] }
    }),
  ),
  defineScenario(
    label,
    200,
    'ignores the content type',
    withNewTrack({ body: { text: 'a' }, headers: { 'content-type': 'text/plain' } }),
  ),
  ...invalidBodies.map(([title, body]) =>
    defineScenario(label, 400, `rejects ${title}`, withSpareTrack({ body })),
  ),
  defineScenario(label, 400, 'rejects an empty body', withSpareTrack({ text: '' })),
]
