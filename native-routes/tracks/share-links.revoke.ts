import { revoke } from '#contracts/tracks.share-links.ts'
import { lockUsage } from '#db/queries/locks.ts'
import {
  deleteLongestRevokedShareLinks,
  revokeShareLinkOfTrack,
} from '#db/queries/tracks/track-share-links.ts'
import { defineRoute } from '../define-route.ts'
import { requireLockedShareLink } from './require-locked-share-link.ts'

export const revokeTrackShareLink = defineRoute(revoke, ({ track, params }, { db, quotas }) =>
  db.tx(async (tx): Promise<undefined> => {
    const link = await requireLockedShareLink(tx, track, params.linkId)
    if (link.status === 'revoked') return
    await lockUsage(tx, 'quota.revoked_links', track.id)
    await revokeShareLinkOfTrack(tx, link.id)
    await deleteLongestRevokedShareLinks(tx, track.id, quotas.revokedLinks)
  }),
)
