import { ApiError } from '#contracts/errors.ts'
import type { Queryable, Reader } from '#db/connection.ts'
import { findLibraryShare, type LibraryShareRow, lockLibraryShare } from '#db/queries/library-shares.ts'
import { isId } from '../is-id.ts'
import type { Actor } from '../ports.ts'
import { isInvitee } from './invitee.ts'
import type { LibraryOfActor } from './require-library.ts'

const requireParty = (share: LibraryShareRow | null, library: LibraryOfActor, actor: Actor) => {
  if (!share || !(library.access === 'owner' || isInvitee(actor, share)))
    throw new ApiError('library_share_not_found')
  return share
}

/** The share of this library, if the actor is its owner or its invitee; nobody else learns of it. */
export const requireShare = async (
  db: Reader,
  library: LibraryOfActor,
  shareId: string | undefined,
  actor: Actor,
) => requireParty(isId(shareId) ? await findLibraryShare(db, library.id, shareId) : null, library, actor)

/** The same, locked: of two answers or changes at once the second one sees the first. */
export const requireLockedShare = async (
  tx: Queryable,
  library: LibraryOfActor,
  shareId: string,
  actor: Actor,
) => requireParty(isId(shareId) ? await lockLibraryShare(tx, library.id, shareId) : null, library, actor)
