import { revoke } from '#contracts/tracks.share-links.ts'
import { revokeShareLinkOfTrack } from '#db/queries/track-share-links.ts'
import { defineRoute } from '../define-route.ts'
import { requireLockedShareLink } from './require-locked-share-link.ts'

export const revokeTrackShareLink = defineRoute(revoke, ({ track, params }, { db }) =>
  db.tx(async (tx): Promise<undefined> => {
    const link = await requireLockedShareLink(tx, track, params.linkId)
    if (link.status !== 'revoked') await revokeShareLinkOfTrack(tx, link.id)
  }),
)
