import { ApiError } from '#contracts/errors.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Queryable, Reader } from '#db/client/connection.ts'
import {
  findLibraryShare,
  type LibraryShareRow,
  lockLibraryShare,
} from '#db/queries/libraries/library-shares.ts'
import type { Actor } from '../ports.ts'
import { type LibraryOfActor, toInvitee } from './require-library.ts'

type LibraryWithAccess = Pick<LibraryOfActor, 'id' | 'access'>

// Only owners manage shares. A guest gets `forbidden`; for anyone else the library does not exist.
const createShareError = ({ access }: Pick<LibraryOfActor, 'access'>) => {
  if (access === 'owner') return new ApiError('library_share_not_found')
  return new ApiError(access === 'invitee' ? 'library_not_found' : 'forbidden')
}

/** After a response, the share belongs to the account that responded. */
const isInvitee = (actor: Actor, { targetUserId, email }: LibraryShareRow) => {
  const { accountId, verifiedEmail } = toInvitee(actor)
  return targetUserId === null ? email !== null && email === verifiedEmail : targetUserId === accountId
}

const requireParty = (share: LibraryShareRow | null, library: LibraryWithAccess, actor: Actor) => {
  if (share && (library.access === 'owner' || isInvitee(actor, share))) return share
  throw createShareError(library)
}

export const requireShare = async (
  db: Reader,
  library: LibraryOfActor,
  shareId: string | undefined,
  actor: Actor,
) => requireParty(isId(shareId) ? await findLibraryShare(db, library.id, shareId) : null, library, actor)

/** Like {@link requireShare}, but locks the share, so the second of two concurrent changes sees the first. */
export const requireLockedShare = async (
  tx: Queryable,
  library: LibraryWithAccess,
  shareId: string | undefined,
  actor: Actor,
) => requireParty(isId(shareId) ? await lockLibraryShare(tx, library.id, shareId) : null, library, actor)
