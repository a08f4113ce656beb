import { ApiError } from '#contracts/errors.ts'
import { reset } from '#contracts/tracks.share-links.ts'
import { replaceTrackShareLinkToken } from '#db/queries/tracks/track-share-links.ts'
import { defineRoute } from '../define-route.ts'
import { requireLockedShareLink } from './require-locked-share-link.ts'
import { addToken, issueToken, syncTrackShortLink } from './share-link-with-token.ts'

export const resetTrackShareLink = defineRoute(reset, async ({ track, params }, ports) => {
  const { token, stored } = issueToken()
  const link = await ports.db.tx(async (tx) => {
    const { id, status } = await requireLockedShareLink(tx, track, params.linkId)
    if (status !== 'active') throw new ApiError('share_link_not_active')
    return addToken(await replaceTrackShareLinkToken(tx, id, stored), token)
  })
  await syncTrackShortLink('reset', link, track, ports)
  return link
})
