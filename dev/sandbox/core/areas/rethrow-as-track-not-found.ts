import { CoreError } from '../core-error.ts'
import { isConstraintViolation } from '../database.ts'

/** Turns a foreign key violation, which means that the track has since been deleted, into `track_not_found`. */
export const rethrowAsTrackNotFound = (error: unknown): never => {
  throw isConstraintViolation(error, 'foreign key') ? new CoreError('track_not_found') : error
}
