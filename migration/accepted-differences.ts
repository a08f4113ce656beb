import type { AcceptedDifference } from './diff/accepted.ts'

/** What native and core may differ in, by agreement and for a while. An entry that has expired accepts nothing. */
export const acceptedDifferences: readonly AcceptedDifference[] = [
  {
    label: '*',
    path: 'body.error',
    kind: 'value',
    match: { native: 'validation_error', core: 'validation_failed' },
    reason: 'The core names a refused input by another word, and its answers are never edited on their way.',
    owner: 'gateway',
    expires: '2027-02-15',
  },
  {
    label: 'tracks.split-sheet.share-links.list',
    path: 'body.records',
    kind: 'length',
    match: { native: 0 },
    reason: 'Native lists no review links: they are made and revoked by the core alone.',
    owner: 'gateway',
    expires: '2027-02-15',
    forbidsPromotion: true,
  },
]
