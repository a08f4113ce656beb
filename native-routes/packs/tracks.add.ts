import { ApiError } from '#contracts/errors.ts'
import { add } from '#contracts/packs.tracks.ts'
import { countPackTracks, findPackTrack, insertPackTrack } from '#db/queries/packs/pack-tracks.ts'
import { touchPack } from '#db/queries/packs/packs.ts'
import { lockTrackOwnedByAny } from '#db/queries/tracks/tracks.ts'
import { defineRoute } from '../define-route.ts'
import { requireLockedPack } from './require-locked-pack.ts'

/** A position past the end counts as the end. A track already in the pack stays where it is. */
export const addTrackToPack = defineRoute(
  add,
  ({ pack, actor, body: { trackId, position = Number.POSITIVE_INFINITY } }, { db }) =>
    db.tx(async (tx) => {
      // Locks in the same order as the removal of a track: the track, then its packs.
      if (!(await lockTrackOwnedByAny(tx, trackId, [actor.accountId]))) throw new ApiError('track_not_found')
      await requireLockedPack(tx, pack)
      const existing = await findPackTrack(tx, pack.id, trackId)
      if (existing) return existing
      const end = await countPackTracks(tx, pack.id)
      await touchPack(tx, pack.id)
      return insertPackTrack(tx, { packId: pack.id, trackId, position: Math.min(position, end) })
    }),
)
