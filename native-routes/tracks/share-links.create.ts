import { invalid } from '#contracts/errors.ts'
import { create } from '#contracts/tracks.share-links.ts'
import {
  countActiveShareLinksOfTrack,
  deleteLongestExpiredShareLinks,
  insertTrackShareLink,
} from '#db/queries/tracks/track-share-links.ts'
import { defineRoute } from '../define-route.ts'
import { requireQuotaLeft } from '../quotas.ts'
import { requireLockedTrack } from './require-track.ts'
import { addToken, issueToken, syncTrackShortLink } from './share-link-with-token.ts'

export const createTrackShareLink = defineRoute(create, async ({ track, body }, ports) => {
  const { db, clock, quotas } = ports
  if (body.expiresAt !== undefined && Date.parse(body.expiresAt) <= clock.now().valueOf())
    throw invalid('expiresAt', 'must be in the future')
  const { token, stored } = issueToken()
  const link = await db.tx(async (tx) => {
    const { id } = await requireLockedTrack(tx, track)
    await requireQuotaLeft(tx, {
      quota: 'links',
      limit: quotas.links,
      subjectId: id,
      adding: 1,
      count: () => countActiveShareLinksOfTrack(tx, id),
    })
    await deleteLongestExpiredShareLinks(tx, id, quotas.revokedLinks)
    return addToken(await insertTrackShareLink(tx, { trackId: id, ...body, ...stored }), token)
  })
  await syncTrackShortLink('create', link, track, ports)
  return link
})
