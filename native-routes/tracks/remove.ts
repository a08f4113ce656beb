import { ApiError } from '#contracts/errors.ts'
import { remove } from '#contracts/tracks.ts'
import { closePackGaps } from '#db/queries/packs/pack-tracks.ts'
import { lockPacksOfTrack } from '#db/queries/packs/packs.ts'
import { deleteTrack } from '#db/queries/tracks/tracks.ts'
import { defineRoute } from '../define-route.ts'

export const removeTrack = defineRoute(remove, ({ track }, { db }) =>
  db.tx(async (tx): Promise<undefined> => {
    const packs = await lockPacksOfTrack(tx, track.id)
    if (!(await deleteTrack(tx, track.id))) throw new ApiError('track_not_found')
    await closePackGaps(
      tx,
      packs.map(({ id }) => id),
    )
  }),
)
