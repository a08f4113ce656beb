import { revoke } from '#contracts/libraries.shares.ts'
import { revokeLibraryShare } from '#db/queries/libraries/library-shares.ts'
import { defineRoute } from '../define-route.ts'
import { requireLockedShare } from './require-library.ts'

export const revokeShareOfLibrary = defineRoute(revoke, ({ library, actor, params }, { db }) =>
  db.tx(async (tx): Promise<undefined> => {
    const share = await requireLockedShare(tx, library, params.shareId, actor)
    if (share.inviteStatus !== 'revoked') await revokeLibraryShare(tx, share.id)
  }),
)
