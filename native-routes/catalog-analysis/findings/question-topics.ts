import type { FindingKind } from './finding-kind.ts'

export type Topic = 'release' | 'splits' | 'shares' | 'plays' | 'duplicates'

export const kindsOfTopic = {
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
} as const satisfies Readonly<Record<Topic, readonly FindingKind[]>>

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
export const findTopics = (question: string): readonly Topic[] => {
  const words = question.toLowerCase()
  const named = topics.filter((topic) => wordsOf[topic].test(words))
  return named.length === 0 ? topics : named
}
