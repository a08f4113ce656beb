import { defineContract } from './shared/contract.ts'
import { partialUpdate } from './shared/primitives.ts'
import { Track, trackFields } from './tracks.ts'

export const update = defineContract('tracks.metadata.update', {
  body: partialUpdate(trackFields),
  responses: { 200: Track },
})
