import { ApiError } from '#contracts/errors.ts'
import { update } from '#contracts/libraries.ts'
import { updateLibrary } from '#db/queries/libraries/libraries.ts'
import { defineRoute } from '../define-route.ts'

export const changeLibrary = defineRoute(update, ({ library, body }, { db }) =>
  db.tx(async (tx) => {
    const changed = await updateLibrary(tx, library.id, body)
    if (!changed) throw new ApiError('library_name_conflict')
    return changed
  }),
)
