import { ApiError } from '#contracts/errors.ts'
import { remove } from '#contracts/libraries.tracks.ts'
import { isId } from '#contracts/shared/primitives.ts'
import { touchLibrary } from '#db/queries/libraries/libraries.ts'
import { deleteLibraryTrack } from '#db/queries/libraries/library-tracks.ts'
import { defineRoute } from '../define-route.ts'

/** Owners can remove any track. Editors can remove what they can add: their own tracks and the owner's. */
export const removeTrackFromLibrary = defineRoute(remove, ({ library, actor, params }, { db }) =>
  db.tx(async (tx): Promise<undefined> => {
    if (!isId(params.trackId)) throw new ApiError('track_not_found')
    const removableOwners = library.access === 'owner' ? null : [actor.accountId, library.ownerId]
    const removed = await deleteLibraryTrack(tx, library.id, params.trackId, removableOwners)
    if (!removed) throw new ApiError('track_not_found')
    await touchLibrary(tx, library.id)
  }),
)
