import { CoreError } from '../core-error.ts'
import { isConflict } from '../database.ts'

/** Tells a track that was removed after its look-up, as the foreign key has noticed, from any other fault. */
export const refuseRemovedTrack = (error: unknown): never => {
  throw isConflict(error, 'foreign key') ? new CoreError('track_not_found') : error
}
