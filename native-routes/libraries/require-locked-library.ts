import { ApiError } from '#contracts/errors.ts'
import type { LibraryScope } from '#contracts/route-table.ts'
import type { Queryable } from '#db/client/connection.ts'
import { lockLibrary } from '#db/queries/libraries.ts'
import { lockGrantedAccess } from '#db/queries/library-shares.ts'
import { isId } from '../is-id.ts'
import type { Actor } from '../ports.ts'
import { requireAccess } from './require-library.ts'
import { requireLockedShare } from './require-share.ts'

interface LibraryParams {
  readonly libraryId?: string
  readonly shareId?: string
}

/**
 * Judges a library scope as `requireLibrary` and `requireShare` do, with the library and the share that grants it locked.
 *
 * Every change of a library locks it here first and for its changes, not just against its deletion: a new name is part
 * of a key, so two changes that each held the weaker lock would wait for each other.
 */
export const requireLockedLibrary = async (
  tx: Queryable,
  { libraryId, shareId }: LibraryParams,
  actor: Actor,
  scope: LibraryScope,
) => {
  const library = isId(libraryId) ? await lockLibrary(tx, libraryId) : null
  if (!library) throw new ApiError('library_not_found')
  const isOwner = library.ownerId === actor.accountId
  if (scope === 'library:party') {
    const access = isOwner ? 'owner' : 'invitee'
    await requireLockedShare(tx, { id: library.id, access }, shareId, actor)
  } else if (!isOwner) {
    const access = await lockGrantedAccess(tx, library.id, actor.accountId)
    requireAccess(access ?? 'invitee', scope)
  }
}
