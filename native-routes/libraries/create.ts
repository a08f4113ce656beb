import { ApiError } from '#contracts/errors.ts'
import { create } from '#contracts/libraries.ts'
import { insertLibrary } from '#db/queries/libraries.ts'
import { defineRoute } from '../define-route.ts'

export const createLibrary = defineRoute(create, ({ actor, body }, { db }) =>
  db.tx(async (tx) => {
    const library = await insertLibrary(tx, { ownerId: actor.accountId, name: body.name })
    if (!library) throw new ApiError('library_name_conflict')
    return library
  }),
)
