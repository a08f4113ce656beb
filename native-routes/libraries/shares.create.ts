import { ApiError, invalid } from '#contracts/errors.ts'
import { create } from '#contracts/libraries.shares.ts'
import { type Invitation, insertLibraryShare } from '#db/queries/libraries/library-shares.ts'
import { defineRoute } from '../define-route.ts'
import type { Actor } from '../ports.ts'

const rejectSelfInvitation = ({ accountId, email: ownEmail }: Actor, { targetUserId, email }: Invitation) => {
  if (targetUserId === accountId) throw invalid('targetUserId', 'must not be the owner')
  if (email !== undefined && email === ownEmail) throw invalid('email', 'must not be the owner')
}

export const inviteToLibrary = defineRoute(create, async ({ library, actor, body }, { db }) => {
  rejectSelfInvitation(actor, body)
  return db.tx(async (tx) => {
    const share = await insertLibraryShare(tx, library.id, body)
    if (!share) throw new ApiError('library_share_conflict')
    return share
  })
})
