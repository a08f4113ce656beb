import type { OperationText } from './operation-text.ts'

export const trackSharingTexts = {
  'tracks.share-links.list': {
    summary: 'List the share links to a track',
    description:
      'Returns the links, newest first, including revoked and expired ones. Tokens are not returned again.',
    success: 'The links.',
  },
  'tracks.share-links.create': {
    summary: 'Create a share link to a track',
    description:
      'Creates a link. Anyone who has it can play the track. Keep `token`: it is returned only once.',
    success: 'The link was created.',
    body: { name: 'For the radio' },
  },
  'tracks.share-links.reset': {
    summary: 'Replace the token of a share link',
    description: 'The previous token stops working at once. The name and expiry do not change.',
    success: 'The link with its new token.',
  },
  'tracks.share-links.revoke': {
    summary: 'Revoke a share link to a track',
    description: 'The link stops working at once. Revoking it again has no effect.',
    success: 'The link is revoked.',
  },
  'tracks.split-sheet.share-links.list': {
    summary: 'List the review links to a split sheet',
    description: 'Native returns an empty list, because only the legacy core creates and revokes these links.',
    success: 'The links.',
  },
  'tracks.split-sheet.share-links.create': {
    summary: 'Create a review link to a split sheet',
    description:
      'Creates a link that shows the split sheet to anyone who has it. Keep `token`: it is returned only once.',
    success: 'The link was created.',
    body: { name: 'For the writers' },
  },
  'tracks.split-sheet.share-links.revoke': {
    summary: 'Revoke a review link to a split sheet',
    description: 'The link stops working at once.',
    success: 'The link is revoked.',
  },
} as const satisfies Readonly<Record<string, OperationText>>
