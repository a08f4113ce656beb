import { ApiError } from '#contracts/errors.ts'
import { create } from '#contracts/libraries.ts'
import { countLibrariesOwnedBy, insertLibrary } from '#db/queries/libraries/libraries.ts'
import { defineRoute } from '../define-route.ts'
import { requireQuotaLeft } from '../quotas.ts'

export const createLibrary = defineRoute(create, ({ actor: { accountId }, body }, { db, quotas }) =>
  db.tx(async (tx) => {
    await requireQuotaLeft(tx, {
      quota: 'libraries',
      limit: quotas.libraries,
      subjectId: accountId,
      adding: 1,
      count: () => countLibrariesOwnedBy(tx, accountId),
    })
    const library = await insertLibrary(tx, { ownerId: accountId, ...body })
    if (!library) throw new ApiError('library_name_conflict')
    return library
  }),
)
