import { CoreError } from '../core-error.ts'
import { isConflict } from '../database.ts'

/** Maps a foreign key violation, caused by a track that was deleted after its look-up, to `track_not_found`. */
export const rethrowAsTrackNotFound = (error: unknown): never => {
  throw isConflict(error, 'foreign key') ? new CoreError('track_not_found') : error
}
