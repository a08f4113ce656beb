import type { Finding } from '#contracts/shared/catalog-findings.ts'
import type { CatalogAnalysis } from './analyse-catalog.ts'
import { quoteMarkdown } from './quote-markdown.ts'
import { thresholds } from './thresholds.ts'

type Topic = 'release' | 'splits' | 'shares' | 'plays' | 'duplicates'

const kindsOfTopic = {
  release: [
    'no_audio',
    'processing_failed',
    'missing_isrc',
    'missing_artwork',
    'missing_release_date',
    'missing_iswc',
    'missing_lyrics',
  ],
  splits: ['split_sheet_unbalanced', 'split_sheet_incomplete'],
  shares: ['share_expiring', 'share_without_plays', 'never_shared'],
  plays: ['plays_rising', 'plays_falling'],
  duplicates: ['possible_duplicate'],
} as const satisfies Readonly<Record<Topic, readonly Finding['kind'][]>>

const topics: readonly Topic[] = ['release', 'splits', 'shares', 'plays', 'duplicates']

const wordsOf = {
  release:
    /\b(?:releas|ready|readiness|missing|lack|incomplete|isrc|iswc|identifier|metadata|artwork|cover|lyric|audio|upload|process)/,
  splits: /\b(?:split|royalt|percent|writer|publisher|master share|add up|balance|owner)/,
  shares: /\b(?:shar(?:e|es|ed|ing)\b|link|invit|access|expir|recipient|collaborator|who has)/,
  plays: /\b(?:play|stream|listen|popular|trend|rising|falling|growing|declin|views?\b|downloads?\b)/,
  duplicates: /\b(?:duplicat|twice|copies|copy|same track)/,
} as const satisfies Readonly<Record<Topic, RegExp>>

/** Returns the topics an English question names; all of them if it names none. */
const findTopics = (question: string): readonly Topic[] => {
  const words = question.toLowerCase()
  const named = topics.filter((topic) => wordsOf[topic].test(words))
  return named.length === 0 ? topics : named
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

const introOf: Readonly<Record<Topic, { readonly some: string; readonly none: string }>> = {
  release: {
    some: '**Before a release**',
    none: '**Before a release**: no track lacks audio, identifiers, artwork or lyrics.',
  },
  splits: {
    some: '**Split sheets**',
    none: '**Split sheets**: every track has a complete split sheet, and all of them balance.',
  },
  shares: {
    some: '**Links and shares**',
    none: '**Links and shares**: no link expires within a week or still has no plays.',
  },
  plays: {
    some: '**Trends**',
    none: "**Trends**: no track's plays have changed much.",
  },
  duplicates: {
    some: '**Duplicates**',
    none: '**Duplicates**: no two tracks seem to be the same recording.',
  },
}

const severities: readonly Finding['severity'][] = ['blocker', 'warning', 'info']

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
  const kinds: readonly Finding['kind'][] = kindsOfTopic[topic]
  const found = kinds
    .map((kind) => examples.filter((finding) => finding.kind === kind).slice(0, maxExamples))
    .filter(([first]) => first && totals[first.kind] > 0)
    .toSorted((left, right) => rankOf(left) - rankOf(right))
  if (found.length === 0) return [introOf[topic].none]
  const lines = found.flatMap((listed) => writeKind(listed, listed[0] ? totals[listed[0].kind] : 0))
  return [`${introOf[topic].some}:`, '', ...lines]
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

/**
 * Writes the analysis as Markdown without a model: counts and the most severe findings for the topics that the question
 * is about. The only user data in it is titles and recipients, always as code spans.
 */
export const writeAnswer = (question: string, analysis: CatalogAnalysis): string => {
  const { tracks, shares } = analysis
  if (tracks + shares.links + shares.withRecipient === 0) return 'Your catalogue has no tracks yet.'
  const checked = `Tracks checked: ${tracks}.`
  return [checked, ...findTopics(question).map((topic) => writeTopic(topic, analysis))].join('\n\n')
}
