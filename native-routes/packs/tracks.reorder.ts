import { ApiError } from '#contracts/errors.ts'
import { reorder } from '#contracts/packs.tracks.ts'
import { listPackTracks, reorderPackTracks } from '#db/queries/packs/pack-tracks.ts'
import { touchPack } from '#db/queries/packs/packs.ts'
import { defineRoute } from '../define-route.ts'
import { requireLockedPack } from './require-locked-pack.ts'

// A pack contains each track once, so an order of the same length that names every track names no track twice.
const isPermutation = (order: readonly string[], entries: readonly { readonly trackId: string }[]) => {
  const wanted = new Set(order)
  return order.length === entries.length && entries.every(({ trackId }) => wanted.has(trackId))
}

export const reorderTracksOfPack = defineRoute(reorder, ({ pack, body: { trackIds } }, { db }) =>
  db.tx(async (tx) => {
    await requireLockedPack(tx, pack)
    if (!isPermutation(trackIds, await listPackTracks(tx, pack.id))) throw new ApiError('track_set_mismatch')
    await reorderPackTracks(tx, pack.id, trackIds)
    await touchPack(tx, pack.id)
    return { records: await listPackTracks(tx, pack.id) }
  }),
)
