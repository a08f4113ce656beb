import { ApiError } from '#contracts/errors.ts'
import type { Scope } from '#contracts/route-table.ts'
import type { Queryable } from '#db/client/connection.ts'
import { lockPackOwnedBy } from '#db/queries/packs.ts'
import { lockTrackOwnedByAny } from '#db/queries/tracks.ts'
import { isId } from './is-id.ts'
import { requireLockedLibrary } from './libraries/require-locked-library.ts'
import { requireActor, type ScopeRequest } from './scopes.ts'

/**
 * Judges a scope once more inside a transaction, with the rows locked that grant it until the transaction ends. Throws
 * what `resolveScope` throws. Tracks and packs are locked against their deletion alone: no change of theirs is one of a
 * key, so the changes that follow need not wait for others that hold the same lock.
 */
export const lockScope = async (tx: Queryable, scope: Scope, { actor, params }: ScopeRequest) => {
  const { accountId } = requireActor(actor)
  const { trackId, packId } = params
  switch (scope) {
    case 'track':
      if (isId(trackId) && (await lockTrackOwnedByAny(tx, trackId, [accountId]))) return
      throw new ApiError('track_not_found')
    case 'pack':
      if (isId(packId) && (await lockPackOwnedBy(tx, packId, accountId))) return
      throw new ApiError('pack_not_found')
    case 'link:track':
    case 'link:pack':
    case 'link:split-sheet':
      throw new Error(`${scope} lets nobody change anything`)
    default:
      await requireLockedLibrary(tx, params, requireActor(actor), scope)
  }
}
