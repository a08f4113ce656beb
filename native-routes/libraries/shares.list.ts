import { list } from '#contracts/libraries.shares.ts'
import { listSharesOfLibrary as listSharesOf } from '#db/queries/library-shares.ts'
import { defineRoute } from '../define-route.ts'

export const listLibraryShares = defineRoute(list, async ({ library }, { db }) => ({
  records: await listSharesOf(db.read, library.id),
}))
