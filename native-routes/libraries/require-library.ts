import { ApiError } from '#contracts/errors.ts'
import type { LibraryScope } from '#contracts/route-table.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Queryable, Reader } from '#db/client/connection.ts'
import { findLibraryForActor, type LibraryAccess } from '#db/queries/libraries/libraries.ts'
import {
  findLibraryShare,
  type Invitee,
  type LibraryShareRow,
  lockLibraryShare,
} from '#db/queries/libraries/library-shares.ts'
import { type Actor, verifiedEmailOf } from '../ports.ts'

export const toInvitee = (actor: Actor): Invitee => ({
  accountId: actor.accountId,
  verifiedEmail: verifiedEmailOf(actor),
})

export type LibraryOfActor = NonNullable<Awaited<ReturnType<typeof findLibraryForActor>>>

const ranks: Readonly<Record<LibraryAccess, number>> = {
  invitee: 0,
  viewer: 1,
  editor: 2,
  admin: 3,
  owner: 4,
}

const requiredRanks: Readonly<Record<LibraryScope, number>> = {
  'library:party': ranks.invitee,
  'library:viewer': ranks.viewer,
  'library:editor': ranks.editor,
  'library:admin': ranks.admin,
  'library:owner': ranks.owner,
}

export const requireAccess = (access: LibraryAccess, scope: LibraryScope) => {
  if (ranks[access] >= requiredRanks[scope]) return
  throw new ApiError(access === 'invitee' ? 'library_not_found' : 'forbidden')
}

/**
 * Throws `forbidden` if the share grants too little access. In all other cases, such as an invitation that is not
 * accepted yet, throws `library_not_found`.
 */
export const requireLibrary = async (
  db: Reader,
  libraryId: string | undefined,
  actor: Actor,
  scope: LibraryScope,
): Promise<LibraryOfActor> => {
  const library = isId(libraryId) ? await findLibraryForActor(db, libraryId, toInvitee(actor)) : null
  if (!library) throw new ApiError('library_not_found')
  requireAccess(library.access, scope)
  return library
}

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
