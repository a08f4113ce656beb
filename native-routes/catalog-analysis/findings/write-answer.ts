import type { Finding } from '#contracts/shared/catalog-findings.ts'
import type { CatalogAnalysis } from './analyse-catalog.ts'
import { severities } from './order-findings.ts'
import { thresholds } from './thresholds.ts'

// Line breaks would end a list item, and direction controls would reorder the text around a title.
const layoutControls = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\s]+/gu

const longestRun = (text: string) =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((backticks) => backticks.length))

/**
 * Quotes a user's text as a one-line Markdown code span, so that nothing in it becomes markup, HTML or a link. A span
 * ends only at a run of backticks of its own length (CommonMark, section 6.1), so the fence is longer than any run
 * inside.
 */
export const quoteMarkdown = (text: string): string => {
  const line = text.toWellFormed().replace(layoutControls, ' ').trim()
  if (line === '') return 'without a title'
  const fence = '`'.repeat(longestRun(line) + 1)
  // CommonMark strips one space on each side.
  return line.startsWith('`') || line.endsWith('`') ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`
}

interface TopicTexts {
  readonly kinds: readonly Finding['kind'][]
  readonly words: RegExp
  readonly title: string
  readonly none: string
}

const topics = {
  release: {
    kinds: [
      'no_audio',
      'processing_failed',
      'missing_isrc',
      'missing_artwork',
      'missing_release_date',
      'missing_iswc',
      'missing_lyrics',
    ],
    words:
      /\b(?:releas|ready|readiness|missing|lack|incomplete|isrc|iswc|identifier|metadata|artwork|cover|lyric|audio|upload|process)/,
    title: '**Before a release**',
    none: 'no track lacks audio, identifiers, artwork or lyrics.',
  },
  splits: {
    kinds: ['split_sheet_unbalanced', 'split_sheet_incomplete'],
    words: /\b(?:split|royalt|percent|writer|publisher|master share|add up|balance|owner)/,
    title: '**Split sheets**',
    none: 'every track has a complete split sheet, and all of them balance.',
  },
  shares: {
    kinds: ['share_expiring', 'share_without_plays', 'never_shared'],
    words: /\b(?:shar(?:e|es|ed|ing)\b|link|invit|access|expir|recipient|collaborator|who has)/,
    title: '**Links and shares**',
    none: 'no link expires within a week or still has no plays.',
  },
  plays: {
    kinds: ['plays_rising', 'plays_falling'],
    words: /\b(?:play|stream|listen|popular|trend|rising|falling|growing|declin|views?\b|downloads?\b)/,
    title: '**Trends**',
    none: "no track's plays have changed much.",
  },
  duplicates: {
    kinds: ['possible_duplicate'],
    words: /\b(?:duplicat|twice|copies|copy|same track)/,
    title: '**Duplicates**',
    none: 'no two tracks seem to be the same recording.',
  },
} as const satisfies Readonly<Record<string, TopicTexts>>

type Topic = keyof typeof topics

const allTopics = Object.keys(topics) as readonly Topic[]

const findTopics = (question: string): readonly Topic[] => {
  const words = question.toLowerCase()
  const named = allTopics.filter((topic) => topics[topic].words.test(words))
  return named.length === 0 ? allTopics : named
}

const maxExamples = 3

const nameOf: Readonly<Record<Finding['kind'], string>> = {
  missing_isrc: 'no ISRC',
  missing_iswc: 'no ISWC',
  missing_release_date: 'no release date',
  missing_artwork: 'no artwork',
  missing_lyrics: 'no lyrics',
  no_audio: 'no audio',
  processing_failed: 'failed processing',
  split_sheet_incomplete: 'split sheet missing or incomplete',
  split_sheet_unbalanced: 'split sheet out of balance',
  possible_duplicate: 'possible duplicate',
  share_expiring: 'link that expires within a week',
  share_without_plays: 'link without plays',
  never_shared: 'track never shared',
  plays_rising: 'track with rising plays',
  plays_falling: 'track with falling plays',
}

// Examples of a kind are sorted, so the first is the most severe.
const rankOf = ([first]: readonly Finding[]) => severities.indexOf(first?.severity ?? 'info')

const haveSameText = ([first, ...others]: readonly Finding[]) =>
  others.every(({ message, action }) => message === first?.message && action === first.action)

const writeKind = (examples: readonly Finding[], total: number): readonly string[] => {
  const [first] = examples
  if (!first) return []
  const intro = `- ${nameOf[first.kind]} (${first.severity}, ${total}):`
  const more = total > examples.length ? ` and ${total - examples.length} more` : ''
  const titles = examples.map(({ subject }) => quoteMarkdown(subject.title))
  if (haveSameText(examples)) return [`${intro} ${titles.join(', ')}${more}. ${first.action}`]
  return [
    `${intro} such as`,
    ...examples.map(({ message, action }, index) => `  - ${titles[index]}: ${message} ${action}`),
  ]
}

const writeFindings = (topic: Topic, { totals, examples }: CatalogAnalysis): readonly string[] => {
  const { kinds, title, none }: TopicTexts = topics[topic]
  const found = kinds
    .map((kind) => examples.filter((finding) => finding.kind === kind).slice(0, maxExamples))
    .filter(([first]) => first && totals[first.kind] > 0)
    .toSorted((left, right) => rankOf(left) - rankOf(right))
  if (found.length === 0) return [`${title}: ${none}`]
  const lines = found.flatMap((listed) => writeKind(listed, listed[0] ? totals[listed[0].kind] : 0))
  return [`${title}:`, '', ...lines]
}

const writeShares = ({ shares: { links, withRecipient, newest } }: CatalogAnalysis): readonly string[] => {
  if (links + withRecipient === 0) return ['Nothing is shared now.']
  const lines = newest.map(({ kind, target, recipient, status, plays }) => {
    const holder = recipient === null ? 'anyone with the link' : quoteMarkdown(recipient)
    const played = plays === null ? '' : `, plays: ${plays}`
    return `- ${quoteMarkdown(target.title)}: ${kind.replaceAll('_', ' ')} for ${holder} (${status.replaceAll('_', ' ')}${played})`
  })
  const shown = newest.length < links + withRecipient ? ' The newest:' : ''
  return [
    `Shared now with named recipients: ${withRecipient}. Links for anyone who has them: ${links}.${shown}`,
    '',
    ...lines,
  ]
}

const writePlays = ({ plays: { total, previousTotal, mostPlayed } }: CatalogAnalysis): readonly string[] => {
  const days = thresholds.trendDays
  const intro = `Plays in the last ${days} days: ${total}, after ${previousTotal} in the ${days} days before.`
  if (mostPlayed.length === 0) return [intro]
  const lines = mostPlayed.map(
    ({ title, plays, previousPlays }) =>
      `- ${quoteMarkdown(title)}: ${plays} plays, ${previousPlays} in the days before`,
  )
  return [`${intro} Most played:`, '', ...lines]
}

const writeTopic = (topic: Topic, analysis: CatalogAnalysis): string => {
  const findings = writeFindings(topic, analysis)
  if (topic === 'shares') return [...writeShares(analysis), '', ...findings].join('\n')
  if (topic === 'plays') return [...writePlays(analysis), '', ...findings].join('\n')
  return findings.join('\n')
}

/** The only user data in it is titles and recipients, always as code spans. */
export const writeAnswer = (question: string, analysis: CatalogAnalysis): string => {
  const { tracks, shares } = analysis
  if (tracks + shares.links + shares.withRecipient === 0) return 'Your catalogue has no tracks yet.'
  const checked = `Tracks checked: ${tracks}.`
  return [checked, ...findTopics(question).map((topic) => writeTopic(topic, analysis))].join('\n\n')
}
