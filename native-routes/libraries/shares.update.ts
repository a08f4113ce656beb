import { ApiError } from '#contracts/errors.ts'
import { update } from '#contracts/libraries.shares.ts'
import type { EveryKeyOf, Queryable } from '#db/client/connection.ts'
import {
  type LibraryShareChange,
  type LibraryShareRow,
  updateAccessOfLibraryShare,
  updateResponseToLibraryShare,
} from '#db/queries/libraries/library-shares.ts'
import { defineRoute } from '../define-route.ts'
import type { Actor } from '../ports.ts'
import { requireLockedShare } from './require-library.ts'

const requireActiveShare = ({ inviteStatus }: LibraryShareRow) => {
  if (inviteStatus === 'declined' || inviteStatus === 'revoked')
    throw new ApiError('library_share_not_active')
}

/** The owner changes the access and cannot respond for the invitee. */
const changeAccess = async (tx: Queryable, share: LibraryShareRow, change: LibraryShareChange) => {
  const { accessType, inviteStatus } = change
  if (accessType === undefined || inviteStatus !== undefined) throw new ApiError('forbidden')
  requireActiveShare(share)
  return updateAccessOfLibraryShare(tx, share.id, accessType)
}

/** The invitee accepts, declines or leaves, and cannot change their own access. */
const respondToInvitation = async (
  tx: Queryable,
  share: LibraryShareRow,
  { accessType, inviteStatus }: LibraryShareChange,
  { accountId }: Actor,
) => {
  if (inviteStatus === undefined || accessType !== undefined) throw new ApiError('forbidden')
  requireActiveShare(share)
  if (inviteStatus === share.inviteStatus) return share
  const updated = await updateResponseToLibraryShare(tx, share.id, { inviteStatus, accountId })
  if (!updated) throw new ApiError('library_share_conflict')
  return updated
}

export const changeLibraryShare = defineRoute(update, ({ library, actor, params, body }, { db }) =>
  db.tx(async (tx) => {
    const share = await requireLockedShare(tx, library, params.shareId, actor)
    body satisfies EveryKeyOf<LibraryShareChange, typeof body>
    return library.access === 'owner'
      ? changeAccess(tx, share, body)
      : respondToInvitation(tx, share, body, actor)
  }),
)
