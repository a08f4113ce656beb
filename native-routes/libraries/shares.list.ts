import { list } from '#contracts/libraries.shares.ts'
import { listSharesOfLibrary } from '#db/queries/libraries/library-shares.ts'
import { defineRoute } from '../define-route.ts'
import { listRecords, positionByCreation } from '../paging.ts'

export const listLibraryShares = defineRoute(list, ({ library, query }, { db }) =>
  listRecords(query, (range) => listSharesOfLibrary(db.read, library.id, range), positionByCreation),
)
