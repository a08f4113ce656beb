import { ApiError } from '#contracts/errors.ts'
import { add } from '#contracts/libraries.tracks.ts'
import { touchLibrary } from '#db/queries/libraries/libraries.ts'
import { findLibraryTrack, insertLibraryTrack } from '#db/queries/libraries/library-tracks.ts'
import { lockTrackOwnedByAny } from '#db/queries/tracks/tracks.ts'
import { defineRoute } from '../define-route.ts'

export const addTrackToLibrary = defineRoute(add, ({ library, actor, body }, { db }) =>
  db.tx(async (tx) => {
    const track = await lockTrackOwnedByAny(tx, body.trackId, [actor.accountId, library.ownerId])
    if (!track) throw new ApiError('track_not_found')
    const added = await insertLibraryTrack(tx, library.id, track.id)
    if (added) await touchLibrary(tx, library.id)
    const entry = added ?? (await findLibraryTrack(tx, library.id, track.id))
    if (!entry) throw new ApiError('track_not_found')
    return { ...entry, track }
  }),
)
