import fc from 'fast-check'
import { marked, type Token } from 'marked'
import { describe, expect, it } from 'vitest'
import { type Finding, findingKinds } from '#contracts/shared/catalog-findings.ts'
import {
  analyseCatalog,
  type CatalogAnalysis,
} from '#native-routes/catalog-analysis/findings/analyse-catalog.ts'
import { quoteMarkdown, writeAnswer } from '#native-routes/catalog-analysis/findings/write-answer.ts'
import { listActiveMarkdown } from '#test/support/active-markdown.ts'
import { useSeededCatalog } from '#test/support/catalog/use-seeded-catalog.ts'
import { countCases } from '#test/support/count-cases.ts'

const { scope } = useSeededCatalog()

const createAnalysis = (titles: readonly string[]): CatalogAnalysis => {
  const findings: Finding[] = findingKinds.map((kind, index) => ({
    kind,
    severity: index % 2 ? 'warning' : 'blocker',
    subject: { type: 'track', id: `t${index}`, title: titles[index % titles.length]! },
    message: 'The track lacks something.',
    action: 'Add it.',
  }))
  const [title = ''] = titles
  return {
    findings,
    examples: findings,
    citations: [],
    totals: Object.fromEntries(findingKinds.map((kind) => [kind, 1])) as CatalogAnalysis['totals'],
    tracks: 15,
    shares: {
      links: 0,
      withRecipient: 1,
      newest: [
        {
          id: 's',
          kind: 'library_share',
          title,
          target: { type: 'library', id: 'l', title },
          recipient: title,
          access: 'viewer',
          status: 'pending',
          expiresAt: null,
          createdAt: '2026-06-15T12:00:00.000Z',
          plays: null,
          views: null,
        },
      ],
    },
    plays: {
      total: 1,
      previousTotal: 0,
      mostPlayed: [{ id: 't', title, createdAt: '', plays: 1, previousPlays: 0, views: 0, downloads: 0 }],
    },
  }
}

const childrenOf = (token: Token): readonly Token[] => [
  ...('tokens' in token && token.tokens ? token.tokens : []),
  ...('items' in token ? (token.items as readonly Token[]) : []),
]
const flatten = (tokens: readonly Token[]): Token[] =>
  tokens.flatMap((token) => [token, ...flatten(childrenOf(token))])

const harmless = ['paragraph', 'text', 'space', 'list', 'list_item', 'strong', 'codespan']
const parseTypes = (markdown: string) => [...new Set(flatten(marked.lexer(markdown)).map(({ type }) => type))]
const findStrangeTypes = (markdown: string) => parseTypes(markdown).filter((type) => !harmless.includes(type))

const markup = fc.constantFrom(
  ...[
    '[a](https://evil.test)',
    '![i](//evil.test)',
    '<https://evil.test>',
    'https://evil.test',
    'www.evil.test',
  ],
  ...[
    'a@evil.test',
    '<img src=x onerror=alert(1)>',
    '<!--',
    '&lt;',
    'www&#46;evil.test',
    'https:&sol;&sol;evil.test',
    'a\\@evil.test',
    '# ',
    '\n# Heading\n',
    '\n---\n',
    '\n===\n',
  ],
  ...[
    '|',
    '\n| a |\n|---|\n',
    '`',
    '``',
    '```\n',
    '~~~',
    '**',
    '__',
    '~~x~~',
    '\\',
    '\n\n',
    '\r',
    '\t',
    '    ',
  ],
  ...[
    '[x]: https://evil.test',
    '\n> quote',
    '\n- item',
    '1. ',
    '$$',
    '[^1]',
    ':',
    '\u202e',
    '\u2028',
    '\ud800',
  ],
)
const hostileTitle = fc
  .array(fc.oneof(markup, fc.string({ unit: 'binary' }), fc.string()), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''))

describe('an answer written without a model', () => {
  it('has no link, heading, HTML or table, whatever a title contains', () => {
    fc.assert(
      fc.property(fc.array(hostileTitle, { minLength: 1, maxLength: 5 }), (titles) => {
        const text = writeAnswer('', createAnalysis(titles))
        expect(findStrangeTypes(text)).toEqual([])
        expect(listActiveMarkdown(text)).toEqual([])
      }),
      { numRuns: countCases(3000, 0.05) },
    )
  }, 120_000)

  it('has as many lines and list items as an answer with a plain title', () => {
    const plain = writeAnswer('', createAnalysis(['Tide']))
    fc.assert(
      fc.property(hostileTitle, (title) => {
        const text = writeAnswer('', createAnalysis([title]))
        expect(text.split('\n')).toHaveLength(plain.split('\n').length)
        const countItems = (markdown: string) =>
          flatten(marked.lexer(markdown)).filter(({ type }) => type === 'list_item').length
        expect(countItems(text)).toBe(countItems(plain))
      }),
      { numRuns: countCases(3000, 0.05) },
    )
  })

  it('is checked by a parser that recognizes what titles could inject', () => {
    const injected = '# H\n\n[a](https://a.test) www.a.test <b>\n\n| a |\n|---|\n| b |'
    expect(findStrangeTypes(injected)).toEqual(expect.arrayContaining(['heading', 'link', 'html', 'table']))
  })

  it.each([
    ['Night Drive', '`Night Drive`'],
    ['a`b', '``a`b``'],
    ['`a', '`` `a ``'],
    ['two\nlines', '`two lines`'],
    [' \n', 'without a title'],
    ['\u202eevil', '`evil`'],
    ['👩‍🎤', '`👩‍🎤`'],
  ])('shows the title %j as %s', (title, quoted) => {
    expect(quoteMarkdown(title)).toBe(quoted)
  })

  it('does not repeat the question', () => {
    const question = 'Is [this](https://evil.test) shared?'
    expect(writeAnswer(question, createAnalysis(['Tide']))).not.toContain('evil')
  })
})

describe('an answer about a catalogue with known faults', () => {
  const ask = async (question: string) => writeAnswer(question, await analyseCatalog(scope()))

  it('counts what is missing before a release, and names tracks', async () => {
    const text = await ask('What is missing before my next release?')
    expect(text).toMatch(
      /- no audio \(blocker, 20\): `Song \d+`, `Song \d+`, `Song \d+` and 17 more\. Upload the audio\./,
    )
    for (const part of [
      'failed processing',
      'no ISRC',
      'no artwork',
      'no release date',
      'no ISWC',
      'no lyrics',
    ])
      expect(text).toContain(`- ${part} (`)
    expect(text.indexOf('blocker')).toBeLessThan(text.indexOf('warning'))
    expect(text).not.toMatch(/split sheet out of balance|Shared now|Plays in the last/)
  })

  it('names the splits that do not add up', async () => {
    const text = await ask('Which splits do not add up?')
    expect(text).toContain('split sheet out of balance (blocker, 20)')
    expect(text).toContain('split sheet missing or incomplete (warning, 20)')
    expect(text).toMatch(/99\.9 percent instead of 100/)
    expect(text).not.toContain('no ISRC')
  })

  it('says what is shared with whom', async () => {
    const text = await ask('What have I shared, and who has it?')
    expect(text).toMatch(/Shared now with named recipients: 1\. Links for anyone who has them: \d+\./)
    expect(text).toContain('- `All`: library share for `alice-guest@example.test` (pending)')
    expect(text).toMatch(/- `Song \d+`: track link for anyone with the link \(active, plays: 0\)/)
    for (const part of ['link that expires within a week', 'link without plays', 'track never shared'])
      expect(text).toMatch(new RegExp(`- ${part} \\((?:info|warning), 20\\)`))
  })

  it('says which tracks are played', async () => {
    const text = await ask('What is being played?')
    expect(text).toMatch(/Plays in the last 28 days: \d+, after \d+ in the 28 days before\. Most played:/)
    expect(text).toMatch(
      /- track with rising plays \(info, 20\): such as\n {2}- `Song \d+`: The track had \d+ plays/,
    )
  })

  it('covers all topics if the question names none', async () => {
    const text = await ask('Hello')
    for (const part of [
      'no ISRC',
      'out of balance',
      'Shared now with',
      'Plays in the last',
      'possible duplicate',
    ])
      expect(text).toContain(part)
  })
})

it('an answer about an empty catalogue says that it has no tracks yet', async () => {
  const nothing = await analyseCatalog({ ...scope(), accountId: 'nothing' })
  expect(writeAnswer('', nothing)).toBe('Your catalogue has no tracks yet.')
})
