import { ApiError } from '#contracts/errors.ts'
import type { LibraryScope } from '#contracts/route-table.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Queryable } from '#db/client/connection.ts'
import { lockLibrary } from '#db/queries/libraries/libraries.ts'
import { lockGrantedAccess } from '#db/queries/libraries/library-shares.ts'
import type { Actor } from '../ports.ts'
import { requireAccess } from './require-library.ts'
import { requireLockedShare } from './require-share.ts'

interface LibraryParams {
  readonly libraryId?: string
  readonly shareId?: string
}

/**
 * Like `requireLibrary` and `requireShare`, but also locks the library and the share that grants access. Every change
 * to a library takes this lock (`FOR NO KEY UPDATE`) first. With `FOR KEY SHARE`, two renames would deadlock, because
 * the name is part of a key.
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
