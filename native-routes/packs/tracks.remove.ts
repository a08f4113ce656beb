import { ApiError } from '#contracts/errors.ts'
import { remove } from '#contracts/packs.tracks.ts'
import { isId } from '#contracts/shared/primitives.ts'
import { closePackGaps, deletePackTrack } from '#db/queries/packs/pack-tracks.ts'
import { touchPack } from '#db/queries/packs/packs.ts'
import { defineRoute } from '../define-route.ts'
import { requireLockedPack } from './require-locked-pack.ts'

export const removeTrackFromPack = defineRoute(remove, ({ pack, params: { trackId } }, { db }) =>
  db.tx(async (tx): Promise<undefined> => {
    await requireLockedPack(tx, pack)
    if (!isId(trackId) || !(await deletePackTrack(tx, pack.id, trackId)))
      throw new ApiError('track_not_found')
    await closePackGaps(tx, [pack.id])
    await touchPack(tx, pack.id)
  }),
)
