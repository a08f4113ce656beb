import { describe, expect, it } from 'vitest'
import { replace } from '#contracts/tracks.lyrics.ts'
import { issuePaths } from './inputs.ts'

describe('LyricsInput', () => {
  it('derives the text from the lines if no text is given', () => {
    const lines = [
      { startMs: 0, endMs: 900, text: 'one' },
      { startMs: 900, text: '' },
      { startMs: 900, text: 'two' },
    ]
    expect(replace.body.parse({ lines, language: ' en-GB ' })).toEqual({
      text: 'one\n\ntwo',
      language: 'en-GB',
      lines: lines.map((line) => ({ endMs: null, ...line })),
    })
  })

  it('defaults to no lines if only text is given', () => {
    expect(replace.body.parse({ text: 'one\n\ttwo' })).toEqual({
      text: 'one\n\ttwo',
      language: null,
      lines: [],
    })
    expect(replace.body.parse({ text: '', lines: [] })).toEqual({ text: '', language: null, lines: [] })
  })

  it.each(['x-whatever', 'zh-cmn-Hans-CN', 'i-klingon', 'de-DE-1996-u-co-phonebk', 'es-419'])(
    'accepts the language tag %s',
    (language) => {
      expect(replace.body.parse({ text: '', language })).toMatchObject({ language })
    },
  )

  it('accepts line times that need more than 32 bits', () => {
    const line = { startMs: 2 ** 31, endMs: 2 ** 31 + 1, text: '' }
    expect(replace.body.parse({ lines: [line] }).lines).toEqual([line])
  })

  it.each([
    [{}, ''],
    [{ language: 'en' }, ''],
    [{ text: null }, 'text'],
    [{ text: 'x'.repeat(50_001) }, 'text'],
    [{ text: 'a\u0000' }, 'text'],
    [{ text: '', language: 'not a tag' }, 'language'],
    [{ text: '', language: '' }, 'language'],
    [{ text: '', language: 'en_US' }, 'language'],
    [{ text: '', language: 'en-US-Latn' }, 'language'],
    [{ text: '', language: `x${'-abcdefgh'.repeat(8)}` }, 'language'],
    [{ lines: [{ startMs: -1, text: '' }] }, 'lines.0.startMs'],
    [{ lines: [{ startMs: 0.5, text: '' }] }, 'lines.0.startMs'],
    [{ lines: [{ startMs: 5, endMs: 5, text: '' }] }, 'lines.0.endMs'],
    [{ lines: [{ startMs: 0, text: 'x'.repeat(1001) }] }, 'lines.0.text'],
    [{ lines: [{ startMs: 0 }] }, 'lines.0.text'],
    [{ lines: [9, 10, 3].map((startMs) => ({ startMs, text: '' })) }, 'lines.2.startMs'],
    [{ lines: Array.from({ length: 2001 }, (_, startMs) => ({ startMs, text: '' })) }, 'lines'],
  ])('reports one issue for an invalid input (%#)', (body, path) => {
    expect(issuePaths(replace.body, body)).toEqual([path])
  })
})
