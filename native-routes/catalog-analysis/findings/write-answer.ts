import type { Finding } from '#contracts/shared/catalog-findings.ts'
import type { CatalogAnalysis } from './analyse-catalog.ts'
import type { FindingKind } from './finding-kind.ts'
import { findTopics, kindsOfTopic, type Topic } from './question-topics.ts'
import { quoteMarkdown } from './quote-markdown.ts'
import { thresholds } from './thresholds.ts'

const maxExamples = 5

const nameOf: Readonly<Record<FindingKind, string>> = {
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
    none: '**Links and shares**: no link expires within a week or remains without plays.',
  },
  plays: {
    some: '**Trends**',
    none: '**Trends**: the plays of no track have changed clearly.',
  },
  duplicates: {
    some: '**Duplicates**',
    none: '**Duplicates**: no two tracks seem to be the same recording.',
  },
}

const severities: readonly Finding['severity'][] = ['blocker', 'warning', 'info']

const writeExample = ({ subject, message, action, severity }: Finding) =>
  `- ${quoteMarkdown(subject.title)} (${severity}): ${message} ${action}`

const writeFindings = (topic: Topic, { totals, examples }: CatalogAnalysis): readonly string[] => {
  const kinds: readonly FindingKind[] = kindsOfTopic[topic]
  const found = kinds.filter((kind) => totals[kind] > 0)
  if (found.length === 0) return [introOf[topic].none]
  const counts = found.map((kind) => `${nameOf[kind]}: ${totals[kind]}`).join(', ')
  const listed = examples
    .filter(({ kind }) => kinds.includes(kind))
    .toSorted((left, right) => severities.indexOf(left.severity) - severities.indexOf(right.severity))
    .slice(0, maxExamples)
  return [`${introOf[topic].some}: ${counts}.`, '', ...listed.map(writeExample)]
}

const writeShares = ({ shares: { total, newest } }: CatalogAnalysis): readonly string[] => {
  if (total === 0) return ['Nothing is shared now.']
  const lines = newest.map(({ kind, target, recipient, status, plays }) => {
    const holder = recipient === null ? 'anyone with the link' : quoteMarkdown(recipient)
    const played = plays === null ? '' : `, plays: ${plays}`
    return `- ${quoteMarkdown(target.title)}: ${kind.replaceAll('_', ' ')} for ${holder} (${status.replaceAll('_', ' ')}${played})`
  })
  const shown = newest.length < total ? `, of which the newest ${newest.length} are` : ''
  return [`Shared now: ${total}${shown}:`, '', ...lines]
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
 * Writes the text of an analysis as Markdown, without a model: what the question is about, by counts and by the most
 * severe findings. The text names no user data but the titles and recipients, and these only as code spans.
 */
export const writeAnswer = (question: string, analysis: CatalogAnalysis): string => {
  const { tracks } = analysis
  if (tracks === 0 && analysis.shares.total === 0) return 'Your catalogue has no tracks yet.'
  const checked = `Tracks checked: ${tracks}.`
  return [checked, ...findTopics(question).map((topic) => writeTopic(topic, analysis))].join('\n\n')
}
