import { list } from '#contracts/libraries.shares.ts'
import { listSharesOfLibrary } from '#db/queries/library-shares.ts'
import { defineRoute } from '../define-route.ts'

export const listLibraryShares = defineRoute(list, async ({ library }, { db }) => ({
  records: await listSharesOfLibrary(db.read, library.id),
}))
