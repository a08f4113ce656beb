import { exampleIds } from '../example-ids.ts'
import type { TextsOf } from './operation-text.ts'

export const libraryTexts: TextsOf<'libraries'> = {
  'libraries.list': {
    summary: 'List your libraries',
    description:
      'Returns the libraries the account owns, the most recently changed first. Without `limit`, it returns all of them.',
    success: 'The libraries.',
  },
  'libraries.create': {
    summary: 'Create a library',
    description: 'Creates an empty library. Its name must be unique among your libraries, ignoring case.',
    success: 'The library.',
    body: { name: 'Demos' },
  },
  'libraries.shared-with-me': {
    summary: 'List libraries that others share with you',
    description:
      'Returns the shared libraries the account has accepted; with `inviteStatus=pending`, those it can still accept.',
    success: 'The libraries, each with its share id and your access type.',
  },
  'libraries.detail': {
    summary: 'Read a library',
    description:
      'Returns a library with its counts. Its owner and everyone who has accepted a share can read it.',
    success: 'The library.',
  },
  'libraries.update': {
    summary: 'Rename or describe a library',
    description: 'Changes the fields you send. You must own the library or have `admin` access to it.',
    success: 'The library.',
    body: { name: 'Demos 2026', description: 'Rough mixes for the label.' },
  },
  'libraries.remove': {
    summary: 'Delete a library',
    description: 'Deletes a library and its shares, but none of its tracks. Only its owner can do this.',
    success: 'The library was deleted.',
  },
  'libraries.presentation': {
    summary: "Get what a library's page shows",
    description: 'Returns the same record as `libraries.detail`.',
    success: 'The library.',
  },
  'libraries.tracks.add': {
    summary: 'Add a track to a library',
    description:
      "Adds one of your own tracks or one of the library owner's. Adding it again returns the existing record.",
    success: 'The track is in the library.',
    body: { trackId: exampleIds.track },
  },
  'libraries.tracks.remove': {
    summary: 'Remove a track from a library',
    description: 'Removes the track from the library. The track itself remains.',
    success: 'The track was removed.',
  },
  'libraries.shares.list': {
    summary: 'List the shares of a library',
    description: 'Returns all shares, including declined and revoked ones. Only the owner can read them.',
    success: 'The shares.',
  },
  'libraries.shares.create': {
    summary: 'Invite a person to a library',
    description: 'Invites an account by `targetUserId` or a person by `email`. Send exactly one of the two.',
    success: 'The share.',
    body: { email: 'ada@example.com', accessType: 'editor' },
  },
  'libraries.shares.update': {
    summary: 'Respond to an invitation, or change a share',
    description: 'The invited account sets `inviteStatus`; the owner sets `accessType`.',
    success: 'The share.',
    body: { accessType: 'viewer' },
  },
  'libraries.shares.revoke': {
    summary: 'Revoke a share',
    description: 'The person loses access at once. Revoking the share again has no effect.',
    success: 'The share was revoked.',
  },
}
