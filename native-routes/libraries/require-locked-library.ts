import { ApiError } from '#contracts/errors.ts'
import type { Queryable } from '#db/connection.ts'
import { lockLibrary } from '#db/queries/libraries.ts'
import type { LibraryOfActor } from './require-library.ts'

/** Changes of one library pass one after another from here on; it may have been removed since it was looked up. */
export const requireLockedLibrary = async (tx: Queryable, { id }: LibraryOfActor) => {
  if (!(await lockLibrary(tx, id))) throw new ApiError('library_not_found')
}
