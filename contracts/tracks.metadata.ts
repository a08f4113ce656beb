import { contract } from './shared/contract.ts'
import { changeOf } from './shared/primitives.ts'
import { Track, trackFields } from './tracks.ts'

export const update = contract('tracks.metadata.update', {
  body: changeOf(trackFields),
  responses: { 200: Track },
})
