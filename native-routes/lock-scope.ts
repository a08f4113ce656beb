import { ApiError } from '#contracts/errors.ts'
import type { Scope } from '#contracts/route-table.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Queryable } from '#db/client/connection.ts'
import { lockPackForDeletion, lockPackOwnedBy } from '#db/queries/packs/packs.ts'
import { lockTrackForDeletion, lockTrackOwnedByAny } from '#db/queries/tracks/tracks.ts'
import { requireLockedLibrary } from './libraries/require-locked-library.ts'
import { requireActor, type ScopeRequest } from './scopes.ts'

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
