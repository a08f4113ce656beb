import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createModelText } from '#native-routes/catalog-analysis/model-text.ts'
import { listActiveMarkdown } from '#test/support/active-markdown.ts'
import { countCases } from '#test/support/count-cases.ts'

const track = { type: 'track', id: 'ID', title: 'Night Drive' } as const
const find = (type: string, id: string) => (type === track.type && id === track.id ? track : undefined)

/** The text of a model that arrives in parts of a length. */
const write = (text: string, partLength: number) => {
  const modelText = createModelText(find)
  let sent = ''
  for (let at = 0; at < text.length; at += partLength) sent += modelText.push(text.slice(at, at + partLength))
  sent += modelText.endPart()
  const { answer, ...rest } = modelText.result()
  expect(sent.trim()).toBe(answer)
  return { answer, ...rest }
}

const partLengths = [1, 2, 3, 7, 1000]

describe.each(partLengths)('the text of a model in parts of %i characters', (partLength) => {
  it('has the number of each citation that a tool returned, and no others', () => {
    const text = 'Add it [track:ID], **now** [track:other] ([track:ID]) [pack:ID].'
    expect(write(text, partLength)).toEqual({
      answer: 'Add it [1], **now**  ([1]) .',
      citations: [track],
      droppedCitations: 2,
    })
  })

  it.each([
    'Click [here](https://evil.example/?q=1)',
    '![x](https://evil.example/?isrc=1)',
    '![x](//evil.example/a)',
    '![x](evil.png)',
    '[track:ID](//evil.example)',
    '![track:ID](//evil.example)',
    '[track:ID](evil.png) and [track:ID](<//evil.example>)',
    '[track:ID]: //evil.example\n\n[track:ID]',
    '- [track:ID]: //evil.example\n\nSee ![track:ID]',
    '[a]: evil.example\n\n![a]',
    '[track:ID][a] ![track:ID][a]\n\n[a]: x',
    '<img src="https://evil.example/x">',
    '<https://evil.example>',
    'https://evil.example/?a=b',
    'HTTPS://evil.example www.evil.example',
    'www[pack:x].evil.example htt[pack:x]ps://evil.example',
    '\\[x](https://evil.example) \\![x](//evil.example)',
    '&#91;x](//evil.example) &lt;img src=x>',
    'ftp://evil.example/x evil.example/x evil.example?x=1 evil.example:80/x',
    '\uE000(//evil.example)',
    'me@evil.example mailto:me@evil.example xmpp:me@evil.example/x',
    'me&#64;evil.example me\\@evil\\.example me&commat;evil.example',
    'www&#46;evil.example www\\.evil.example www&period;evil.example www\\\\.evil.example',
    'https:&#47;&#47;evil.example https&colon;&sol;&sol;evil.example https:\\/\\/evil.example',
    'https:\\&#47;\\&#47;evil.example https:\\\\/\\\\/evil.example &lt;https:&#x2f;&#x2f;evil.example&gt;',
    'www\f.evil.example www\r.evil.example www\ufeff.evil.example me@\u2028evil.example',
    'htt\u200bps://evil.example w\u2060ww.evil.example w\u{e0041}ww.evil.example',
    '![x][a]\n\n[a]: https:&#47;&#47;evil.example\n\n[^1] and\n\n[^1]: x',
    '夜https://evil.example/夜?q=1 夜//夜.example/夜 www.夜.evil.example/夜',
    '夜![夜](//evil.example/夜)夜[夜](https://夜.example)<img src="//夜.example/夜">',
    '[track:ID](//夜.example)[夜]: //evil.example/夜',
  ])('has no link, image or HTML: %j', (text) => {
    const { answer } = write(text, partLength)
    expect(listActiveMarkdown(answer)).toEqual([])
    expect(answer).not.toMatch(/:\/\/|\/\/evil|www\./)
  })

  it('leaves other text and its marks', () => {
    const text =
      '# Before a release\n\n- **Night Drive** (3:21): `ISRC` 50/50 & more, e.g. feat. will.i.am\n- und so “weiter” 夜のドライブ 🎵'
    expect(write(text, partLength)).toEqual({ answer: text, citations: [], droppedCitations: 0 })
  })
})

const fragment = fc.constantFrom(
  ...[
    'http',
    's',
    ':',
    '/',
    '//',
    'www',
    '.',
    'evil',
    '.example',
    '.com',
    '@',
    'me',
    'mailto:',
    'xmpp:',
    '?q=1',
    '#',
  ],
  ...[
    '[',
    ']',
    '(',
    ')',
    '!',
    '<',
    '>',
    '^1',
    'a',
    '"',
    "'",
    '|',
    '\n',
    '\n\n',
    ' ',
    '    ',
    '- ',
    '> ',
    '1. ',
  ],
  ...[
    '&',
    '#47;',
    '#x2f;',
    'sol;',
    'colon;',
    'commat;',
    'period;',
    'amp;',
    'lt;',
    'lsqb;',
    '#0;',
    ';',
    '\\',
    '\\\\',
  ],
  ...[
    '[track:ID]',
    '[track:no]',
    '`',
    '``',
    '*',
    '**',
    '_',
    '~~',
    '$',
    '-',
    '+',
    '=',
    '<!--',
    '-->',
    '<![CDATA[',
  ],
  ...['\r', '\f', '\v', '\t', '\u0000', '\u0085', '\u00a0', '\u00ad', '\u200b', '\u2028', '\u202e', '\ufeff'],
  ...[
    '\uE000',
    '\ud800',
    '\udc41',
    '\u{e0041}',
    '。',
    '／',
    '＠',
    'é',
    'я',
    '夜',
    'ไ',
    'javascript:',
    'data:',
    'ftp',
    'IMG SRC=',
  ],
)
const hostileText = fc
  .array(fc.oneof({ weight: 12, arbitrary: fragment }, { weight: 1, arbitrary: fc.string() }), {
    maxLength: 25,
  })
  .map((parts) => parts.join(''))

it('has no link, image or HTML, whatever the model writes in whatever parts', () => {
  fc.assert(
    fc.property(hostileText, fc.integer({ min: 1, max: 12 }), (text, partLength) => {
      expect(listActiveMarkdown(write(text, partLength).answer)).toEqual([])
    }),
    { numRuns: countCases(20_000, 0.05) },
  )
}, 120_000)

it('leaves the address of a recipient readable', () => {
  expect(write('It is shared with `press@label.test` (viewer).', 3).answer).toBe(
    'It is shared with `press (at) label.test` (viewer).',
  )
})

it('is checked by parsers that recognize what a model could write', () => {
  for (const text of [
    '[a](b)',
    '![a](b)',
    '<b>',
    'www.evil.example',
    'me@evil.example',
    '[a]: b',
    'www&#46;evil.example',
  ])
    expect([text, listActiveMarkdown(text)]).not.toEqual([text, []])
})

describe.each(partLengths)('the text of a model in parts of %i characters', (partLength) => {
  it.each([
    ['Chinese', '这首歌没有编码，请在发行之前添加。'],
    ['Japanese', 'この曲にはコードがありません。𠮷野家'],
    ['Thai', 'เพลงนี้ไม่มีรหัส'],
  ])('may have long paragraphs in %s, which have no spaces', (_, sentence) => {
    const text = `${sentence.repeat(5000 / sentence.length)}[track:ID]${sentence}`
    expect(text.length).toBeGreaterThan(4900)
    expect(write(text, partLength).answer).toBe(text.replace('track:ID', '1'))
  })
})

it('has no control characters and no halves of characters', () => {
  const text = createModelText(find)
  expect(text.push('a\u0000b\u001b[31m\tc\n\ud800 d \u202ee\u{e0041} 👩‍🎤 ')).toBe(
    'ab&#91;31m\tc\n\ufffd d e 👩‍🎤 ',
  )
})

it.each([
  ['a word without end', 'x'.repeat(5000), 'garbled'],
  ['a text without end', 'so on '.repeat(4000), 'too_long'],
])('rejects %s', (_, text, reason) => {
  expect(() => createModelText(find).push(text)).toThrow(expect.objectContaining({ reason }))
})
