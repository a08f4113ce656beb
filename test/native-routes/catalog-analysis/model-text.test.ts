import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createModelText } from '#native-routes/catalog-analysis/model-text.ts'
import { listActiveMarkdown } from '#test/support/active-markdown.ts'
import { listBareHosts } from '#test/support/bare-hosts.ts'
import { countCases } from '#test/support/count-cases.ts'

const track = { type: 'track', id: 'ID', title: 'Night Drive' } as const
const find = (type: string, id: string) => (type === track.type && id === track.id ? track : undefined)

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

describe.each(partLengths)('model text that arrives in parts of %i characters', (partLength) => {
  it('has a number for each citation that a tool returned, and no other citations', () => {
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

  it.each([
    'evil.test:8080',
    'see evil.test:8080, evil.test:80/x evil.test:/x evil.test.:8080 evil.test./x.',
    '192.0.2.1:8080 192.0.2.1/x 0x7f.0.0.1:80 [2001:db8::1]:8080 [::1]/x localhost:8080 localhost/x',
    'user@evil.test:8080 user:secret@evil.test/x user＠evil.test:8080 user@192.0.2.1:80 user@localhost:80',
    'evil．test/x evil。test/x evil｡test/x evil﹒test/x evil․test/x evil．test：8080 evil。test:8080',
    'ｅｖｉｌ.test/x ｅｖｉｌ．ｔｅｓｔ／ｘ ⓔⓥⓘⓛ.test:8080 𝐞𝐯𝐢𝐥.𝐭𝐞𝐬𝐭/x １９２．０．２．１：８０８０',
    'еvil.test/x evil.рф/x пример.рф:8080 εvil.test/x évil.test/x evil.xn--p1ai/x xn--vil-zdd.test:80',
    'ev\u00adil.test/x evil\u00ad.test:8080 evil.\ufe0ftest/x evil\u034f.test/x evil.te\u200dst/x',
    'ｗｗｗ．evil．test ｈｔｔｐｓ：／／evil．test https：／／evil。test',
    '夜.example/x 夜.example:8080 夜evil.test:8080 夜のevil．test/x 🎵.test/x 夜@evil.test:80',
    '[track:ID]evil.test:8080 [track:ID]evil．test/x evil.test:8080[track:ID]',
  ])('has no host followed by a port, path or query: %j', (text) => {
    const { answer } = write(text, partLength)
    expect(listBareHosts(answer)).toEqual([])
    expect(listActiveMarkdown(answer)).toEqual([])
    expect(answer.normalize('NFKC')).not.toMatch(/:80|\/x/)
  })

  it.each([
    'Night Drive (3:21) at 120/128 BPM, 44.1/24, 1.5:1, v1.2.3 of 1.2.2026: BPM:120 and/or A:B?',
    'Files: master.wav, cover.jpg and stems.zip; vol. 2, e.g. feat. will.i.am, Mr.Oizo, m-flo.',
    'Add ISRC。BPM and ISWC。Then release．Ｖｏｌ．２／３ ｆｅａｔ．Ａ',
    'この曲にはISRCがありません。BPM/KEYを追加してください。2曲目：1/2です。「夜」は？',
    '这首歌没有编码。请在发行之前添加ISRC/ISWC。第2首：120/128。是吗？',
    'Это трек. Добавьте ISRC/ISWC: 3/4? Ещё раз.Потом',
    '50 % (½), №1, 3…5, A–Z, naïve.',
  ])('stays unchanged if it contains no address: %j', (text) => {
    expect(write(text, partLength)).toEqual({ answer: text, citations: [], droppedCitations: 0 })
  })

  it('keeps all other text and its Markdown', () => {
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
const hostFragment = fc.constantFrom(
  ...[
    'evil',
    'ｅｖｉｌ',
    'ⓔⓥⓘⓛ',
    'еvil',
    'évil',
    'xn--e1a',
    '🎵',
    '夜',
    'ไ',
    '192.0.2.1',
    '[::1]',
    'localhost',
    'user',
  ],
  ...['.', '．', '。', '｡', '﹒', '․', '@', '＠', '\\', '-', '_'],
  ...['test', 'ｔｅｓｔ', 'рф', 'com', 'xn--p1ai'],
  ...[':8080', '：８０', ':', '/x', '／ｘ', '?q', '？q', '//', '/'],
  ...[
    '\u00ad',
    '\ufe0f',
    '\u034f',
    '\u200b',
    '\u200d',
    '[track:ID]',
    '[track:no]',
    ' ',
    '\n',
    '(',
    ')',
    '*',
    ',',
  ],
)
const hostileHosts = fc.array(hostFragment, { maxLength: 12 }).map((parts) => parts.join(''))
const hostileText = fc
  .array(fc.oneof({ weight: 12, arbitrary: fragment }, { weight: 1, arbitrary: fc.string() }), {
    maxLength: 25,
  })
  .map((parts) => parts.join(''))

it('model text has no link, image or HTML, whatever the model writes and however the text is split', () => {
  fc.assert(
    fc.property(hostileText, fc.integer({ min: 1, max: 12 }), (text, partLength) => {
      expect(listActiveMarkdown(write(text, partLength).answer)).toEqual([])
    }),
    { numRuns: countCases(20_000, 0.05) },
  )
}, 120_000)

it('model text has no host followed by a port, path or query, however the text is written or split', () => {
  fc.assert(
    fc.property(hostileHosts, fc.integer({ min: 1, max: 12 }), (text, partLength) => {
      const { answer } = write(text, partLength)
      expect(listBareHosts(answer)).toEqual([])
      expect(listActiveMarkdown(answer)).toEqual([])
    }),
    { numRuns: countCases(20_000, 0.05) },
  )
}, 120_000)

it("model text keeps a recipient's address readable", () => {
  expect(write('It is shared with `press@label.test` (viewer).', 3).answer).toBe(
    'It is shared with `press (at) label.test` (viewer).',
  )
})

it('model text is checked by a parser that recognizes the hosts a model could write', () => {
  for (const text of [
    'evil.test:80',
    'a evil.test/x',
    'ｅｖｉｌ。ｔｅｓｔ／ｘ',
    '(192.0.2.1:80)',
    'evil.рф?q',
    '[::1]:80',
  ])
    expect([text, listBareHosts(text)]).not.toEqual([text, []])
})

it('model text is checked by parsers that recognize the links and HTML a model could write', () => {
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

describe.each(partLengths)('model text that arrives in parts of %i characters', (partLength) => {
  it.each([
    ['Chinese', '这首歌没有编码，请在发行之前添加。'],
    ['Japanese', 'この曲にはコードがありません。𠮷野家'],
    ['Thai', 'เพลงนี้ไม่มีรหัส'],
  ])('may have long paragraphs in %s, which is written without spaces', (_, sentence) => {
    const text = `${sentence.repeat(5000 / sentence.length)}[track:ID]${sentence}`
    expect(text.length).toBeGreaterThan(4900)
    expect(write(text, partLength).answer).toBe(text.replace('track:ID', '1'))
  })
})

it('model text has no control characters and no unpaired surrogates', () => {
  const text = createModelText(find)
  expect(text.push('a\u0000b\u001b[31m\tc\n\ud800 d \u202ee\u{e0041} 👩‍🎤 ')).toBe(
    'ab&#91;31m\tc\n\ufffd d e 👩‍🎤 ',
  )
})

it.each([
  ['a word without end', 'x'.repeat(5000), 'garbled'],
  ['a text without end', 'so on '.repeat(4000), 'too_long'],
])('createModelText rejects %s', (_, text, reason) => {
  expect(() => createModelText(find).push(text)).toThrow(expect.objectContaining({ reason }))
})
