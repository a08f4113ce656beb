import { ApiError } from '#contracts/errors.ts'
import { remove } from '#contracts/libraries.ts'
import { deleteLibrary } from '#db/queries/libraries/libraries.ts'
import { defineRoute } from '../define-route.ts'

export const removeLibrary = defineRoute(remove, ({ library }, { db }) =>
  db.tx(async (tx): Promise<undefined> => {
    if (!(await deleteLibrary(tx, library.id))) throw new ApiError('library_not_found')
  }),
)
