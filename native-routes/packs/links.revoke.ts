import { ApiError } from '#contracts/errors.ts'
import { revoke } from '#contracts/packs.links.ts'
import { isId } from '#contracts/shared/primitives.ts'
import { revokeLinkOfPack } from '#db/queries/packs/pack-links.ts'
import { defineRoute } from '../define-route.ts'

export const revokePackLink = defineRoute(revoke, ({ pack, params: { linkId } }, { db }) =>
  db.tx(async (tx): Promise<undefined> => {
    if (!isId(linkId) || !(await revokeLinkOfPack(tx, pack.id, linkId)))
      throw new ApiError('pack_link_not_found')
  }),
)
