import { contract } from './shared/contract.ts'
import { partialUpdate } from './shared/primitives.ts'
import { Track, trackFields } from './tracks.ts'

export const update = contract('tracks.metadata.update', {
  body: partialUpdate(trackFields),
  responses: { 200: Track },
})
