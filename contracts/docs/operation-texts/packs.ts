import { exampleIds } from '../example-ids.ts'
import type { TextsOf } from './operation-text.ts'

export const packTexts: TextsOf<'packs'> = {
  'packs.list': {
    summary: 'List your packs',
    description: "Returns the account's packs, newest first. Without `limit`, it returns all of them.",
    success: 'The packs.',
  },
  'packs.create': {
    summary: 'Create a pack',
    description: 'Creates an empty pack.',
    success: 'The pack was created.',
    body: { name: 'Harbour EP', description: 'Four songs for the autumn.' },
  },
  'packs.detail': {
    summary: 'Read a pack',
    description: 'Returns a pack, including its track count.',
    success: 'The pack.',
  },
  'packs.update': {
    summary: "Change a pack's name or description",
    description: 'Changes the fields you send.',
    success: 'The pack.',
    body: { name: 'Harbour' },
  },
  'packs.remove': {
    summary: 'Delete a pack',
    description: 'Deletes a pack and its links, but not its tracks.',
    success: 'The pack was deleted.',
  },
  'packs.tracks.add': {
    summary: 'Add a track to a pack',
    description: 'Adds a track at a position, by default at the end.',
    success: 'The track, with its position in the pack.',
    body: { trackId: exampleIds.track, position: 0 },
  },
  'packs.tracks.remove': {
    summary: 'Remove a track from a pack',
    description: 'Removes the track from the pack. The track itself remains.',
    success: 'The track was removed.',
  },
  'packs.tracks.reorder': {
    summary: 'Reorder the tracks of a pack',
    description: "Sets the order of the tracks. The list must contain each of the pack's tracks once.",
    success: 'The tracks in their new order.',
    body: { trackIds: [exampleIds.track] },
  },
  'packs.links.list': {
    summary: 'List the links of a pack',
    description:
      "Returns the pack's links, newest first, including revoked and expired ones. Without `limit`, it returns all of them.",
    success: 'The links.',
  },
  'packs.links.create': {
    summary: 'Create a link to a pack',
    description:
      'Creates a link that anyone can open. If you set `accessCode`, only people who have the code can. If you leave out `slug`, the link gets one that cannot be guessed.',
    success: 'The link was created.',
    body: { name: 'For the label', accessCode: 'harbour-2026', disableDownloads: true },
  },
  'packs.links.revoke': {
    summary: 'Revoke a link to a pack',
    description: 'The link stops working at once.',
    success: 'The link is revoked.',
  },
  'packs.invitations.list': {
    summary: 'List the invitations to a pack',
    description:
      'Returns the invitations, newest first, with the delivery status of their e-mails. Without `limit`, it returns all of them.',
    success: 'The invitations.',
  },
  'packs.invitations.create': {
    summary: 'Invite a person to a pack by e-mail',
    description:
      "Sends an e-mail with a link to the pack. The invitation's status follows the e-mail provider's reports.",
    success: 'The e-mail will be sent.',
    body: { email: 'ada@example.com' },
  },
}
