import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Count, Id, Timestamp } from './shared/primitives.ts'

export const LibraryTrack = z.object({
  libraryId: Id,
  trackId: Id,
  position: Count,
  addedAt: Timestamp,
  track: z.object({ id: Id, title: z.string(), artist: z.string(), durationMs: Count.nullable() }),
})

export const add = defineContract('libraries.tracks.add', {
  body: z.object({ trackId: Id }),
  responses: { 200: LibraryTrack },
  errors: ['track_not_found'],
})

export const remove = defineContract('libraries.tracks.remove', {
  responses: { 204: null },
  errors: ['track_not_found'],
})
