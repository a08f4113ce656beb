import { isConflict } from '../database.ts'
import { Refusal } from '../refusal.ts'

/** Tells a track that was removed after its look-up, as the foreign key has noticed, from any other fault. */
export const refuseRemovedTrack = (error: unknown): never => {
  throw isConflict(error, 'foreign key') ? new Refusal('track_not_found') : error
}
