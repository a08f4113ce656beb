import { ApiError } from '#contracts/errors.ts'
import { reset } from '#contracts/tracks.share-links.ts'
import { replaceTokenOfTrackShareLink } from '#db/queries/track-share-links.ts'
import { defineRoute } from '../define-route.ts'
import { issueToken } from '../share-token.ts'
import { requireLockedShareLink } from './require-locked-share-link.ts'
import { withToken } from './share-link-with-token.ts'

export const resetTrackShareLink = defineRoute(reset, async ({ track, params }, { db }) => {
  const { token, kept } = await issueToken()
  return db.tx(async (tx) => {
    const link = await requireLockedShareLink(tx, track, params.linkId)
    if (link.status !== 'active') throw new ApiError('share_link_not_active')
    return withToken(await replaceTokenOfTrackShareLink(tx, link.id, kept), token)
  })
})
