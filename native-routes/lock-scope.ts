import { ApiError } from '#contracts/errors.ts'
import type { LibraryScope, Scope } from '#contracts/route-table.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Queryable } from '#db/client/connection.ts'
import { lockLibrary } from '#db/queries/libraries/libraries.ts'
import { lockGrantedAccess } from '#db/queries/libraries/library-shares.ts'
import { lockPackForDeletion, lockPackOwnedBy } from '#db/queries/packs/packs.ts'
import { lockTrackForDeletion, lockTrackOwnedByAny } from '#db/queries/tracks/tracks.ts'
import { requireAccess } from './libraries/require-library.ts'
import { requireLockedShare } from './libraries/require-share.ts'
import type { Actor } from './ports.ts'
import { requireActor, type ScopeRequest } from './scopes.ts'

interface LibraryParams {
  readonly libraryId?: string
  readonly shareId?: string
}

/**
 * Like `requireLibrary` and `requireShare`, but also locks the library and the share that grants access. Every change
 * to a library takes this lock (`FOR NO KEY UPDATE`) first. With `FOR KEY SHARE`, two renames would deadlock, because
 * the name is part of a key.
 */
const requireLockedLibrary = async (
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

/**
 * Checks a scope again inside a transaction and locks the rows that grant it. Throws the same errors as `resolveScope`.
 * Tracks and packs are locked only against deletion (`FOR KEY SHARE`), so updates do not wait. A route that deletes its
 * scope must take `FOR UPDATE` right away, or two such requests would deadlock.
 */
export const lockScope = async (
  tx: Queryable,
  scope: Scope,
  { actor, params }: ScopeRequest,
  { deletes = false }: { readonly deletes?: boolean } = {},
) => {
  const { accountId } = requireActor(actor)
  const { trackId, packId } = params
  switch (scope) {
    case 'track':
      if (isId(trackId)) {
        const track = deletes
          ? await lockTrackForDeletion(tx, trackId, accountId)
          : await lockTrackOwnedByAny(tx, trackId, [accountId])
        if (track) return
      }
      throw new ApiError('track_not_found')
    case 'pack':
      if (isId(packId)) {
        const lock = deletes ? lockPackForDeletion : lockPackOwnedBy
        if (await lock(tx, packId, accountId)) return
      }
      throw new ApiError('pack_not_found')
    case 'link:track':
    case 'link:pack':
    case 'link:split-sheet':
      throw new Error(`scope ${scope} cannot be locked: a route with this scope must not write`)
    default:
      await requireLockedLibrary(tx, params, requireActor(actor), scope)
  }
}
