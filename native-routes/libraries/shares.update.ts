import { ApiError } from '#contracts/errors.ts'
import { update } from '#contracts/libraries.shares.ts'
import type { Queryable } from '#db/client/connection.ts'
import {
  type LibraryShareChange,
  type LibraryShareRow,
  updateAccessOfLibraryShare,
  updateResponseToLibraryShare,
} from '#db/queries/library-shares.ts'
import { defineRoute } from '../define-route.ts'
import type { Actor } from '../ports.ts'
import { requireLockedShare } from './require-share.ts'

const requireLive = ({ inviteStatus }: LibraryShareRow) => {
  if (inviteStatus === 'declined' || inviteStatus === 'revoked')
    throw new ApiError('library_share_not_active')
}

/** The owner decides on the access and never answers in the invitee's place. */
const changeAccess = async (tx: Queryable, share: LibraryShareRow, change: LibraryShareChange) => {
  const { accessType, inviteStatus } = change
  if (accessType === undefined || inviteStatus !== undefined) throw new ApiError('forbidden')
  requireLive(share)
  return accessType === share.accessType ? share : updateAccessOfLibraryShare(tx, share.id, accessType)
}

/** The invitee accepts, declines or leaves, and never decides on their own access. */
const answerInvitation = async (
  tx: Queryable,
  share: LibraryShareRow,
  { accessType, inviteStatus }: LibraryShareChange,
  { accountId }: Actor,
) => {
  if (inviteStatus === undefined || accessType !== undefined) throw new ApiError('forbidden')
  requireLive(share)
  if (inviteStatus === share.inviteStatus) return share
  const answered = await updateResponseToLibraryShare(tx, share.id, { inviteStatus, accountId })
  if (!answered) throw new ApiError('library_share_conflict')
  return answered
}

export const changeLibraryShare = defineRoute(update, ({ library, actor, params, body }, { db }) =>
  db.tx(async (tx) => {
    const share = await requireLockedShare(tx, library, params.shareId, actor)
    return library.access === 'owner'
      ? changeAccess(tx, share, body)
      : answerInvitation(tx, share, body, actor)
  }),
)
