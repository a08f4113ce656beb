import { marked, type Token } from 'marked'
import { describe, expect, it } from 'vitest'
import { createModelText } from '#native-routes/catalog-analysis/model-text.ts'

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

const listTypes = (markdown: string) => {
  const types: string[] = []
  const collect = (token: Token) => {
    types.push(token.type)
  }
  marked.walkTokens(marked.lexer(markdown), collect)
  return types
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
  ])('has no link, image or HTML: %j', (text) => {
    const { answer } = write(text, partLength)
    for (const type of listTypes(answer)) expect(['link', 'image', 'html', 'def']).not.toContain(type)
    expect(answer).not.toMatch(/:\/\/|\/\/evil|www\./)
  })

  it('leaves other text and its marks', () => {
    const text =
      '# Before a release\n\n- **Night Drive** (3:21): `ISRC` 50/50 & more, e.g. feat. will.i.am\n- und so “weiter” 夜のドライブ 🎵'
    expect(write(text, partLength)).toEqual({ answer: text, citations: [], droppedCitations: 0 })
  })
})

it('has no control characters and no halves of characters', () => {
  const text = createModelText(find)
  expect(text.push('a\u0000b\u001b[31m\tc\n\ud800 d ')).toBe('ab&#91;31m\tc\n\ufffd d ')
})

it.each([
  ['a word without end', 'x'.repeat(5000), 'garbled'],
  ['a text without end', 'so on '.repeat(4000), 'too_long'],
])('rejects %s', (_, text, reason) => {
  expect(() => createModelText(find).push(text)).toThrow(expect.objectContaining({ reason }))
})
