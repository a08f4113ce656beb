import { ApiError } from '#contracts/errors.ts'
import type { Queryable, Reader } from '#db/client/connection.ts'
import { findLibraryShare, type LibraryShareRow, lockLibraryShare } from '#db/queries/library-shares.ts'
import { isId } from '../is-id.ts'
import type { Actor } from '../ports.ts'
import { isInvitee } from './invitee.ts'
import type { LibraryOfActor } from './require-library.ts'

type ReachedLibrary = Pick<LibraryOfActor, 'id' | 'access'>

// The shares are the owner's to manage. A guest is told so; to whomever the library is not shared with it does not
// exist.
const refusalOf = ({ access }: Pick<LibraryOfActor, 'access'>) => {
  if (access === 'owner') return new ApiError('library_share_not_found')
  return new ApiError(access === 'invitee' ? 'library_not_found' : 'forbidden')
}

const requireParty = (share: LibraryShareRow | null, library: ReachedLibrary, actor: Actor) => {
  if (share && (library.access === 'owner' || isInvitee(actor, share))) return share
  throw refusalOf(library)
}

/** The share of this library, if the actor is its owner or its invitee. */
export const requireShare = async (
  db: Reader,
  library: LibraryOfActor,
  shareId: string | undefined,
  actor: Actor,
) => requireParty(isId(shareId) ? await findLibraryShare(db, library.id, shareId) : null, library, actor)

/** The same, locked: of two answers or changes at once the second one sees the first. */
export const requireLockedShare = async (
  tx: Queryable,
  library: ReachedLibrary,
  shareId: string | undefined,
  actor: Actor,
) => requireParty(isId(shareId) ? await lockLibraryShare(tx, library.id, shareId) : null, library, actor)
