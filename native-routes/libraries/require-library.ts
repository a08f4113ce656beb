import { ApiError } from '#contracts/errors.ts'
import type { LibraryScope } from '#contracts/route-table.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Reader } from '#db/client/connection.ts'
import { findLibraryForActor, type LibraryAccess } from '#db/queries/libraries/libraries.ts'
import type { Invitee } from '#db/queries/libraries/library-shares.ts'
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
