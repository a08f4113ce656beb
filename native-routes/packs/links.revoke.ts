import { ApiError } from '#contracts/errors.ts'
import { revoke } from '#contracts/packs.links.ts'
import { revokeLinkOfPack } from '#db/queries/pack-links.ts'
import { defineRoute } from '../define-route.ts'
import { isId } from '../is-id.ts'

export const revokePackLink = defineRoute(revoke, async ({ pack, params: { linkId } }, { db }) => {
  const isRevoked = isId(linkId) && (await db.tx((tx) => revokeLinkOfPack(tx, pack.id, linkId)))
  if (!isRevoked) throw new ApiError('pack_link_not_found')
})
