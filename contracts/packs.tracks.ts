import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Count, Id, records, Timestamp } from './shared/primitives.ts'

const PackTrack = z.object({ packId: Id, trackId: Id, position: Count, addedAt: Timestamp })

export const add = defineContract('packs.tracks.add', {
  body: z.object({ trackId: Id, position: Count.max(100_000).optional() }),
  responses: { 200: PackTrack },
  errors: ['track_not_found'],
})

export const remove = defineContract('packs.tracks.remove', {
  responses: { 204: null },
  errors: ['track_not_found'],
})

export const reorder = defineContract('packs.tracks.reorder', {
  body: z.object({ trackIds: z.array(Id) }),
  responses: { 200: records(PackTrack) },
  errors: ['track_set_mismatch'],
})
