import { list } from '#contracts/libraries.ts'
import { listLibrariesOwnedBy } from '#db/queries/libraries.ts'
import { defineRoute } from '../define-route.ts'

export const listLibraries = defineRoute(list, async ({ actor }, { db }) => ({
  records: await listLibrariesOwnedBy(db.read, actor.accountId),
}))
