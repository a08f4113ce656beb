import { list } from '#contracts/libraries.ts'
import { listLibrariesOwnedBy } from '#db/queries/libraries/libraries.ts'
import { defineRoute } from '../define-route.ts'
import { listRecords } from '../paging.ts'

export const listLibraries = defineRoute(list, ({ actor, query }, { db }) =>
  listRecords(
    query,
    (range) => listLibrariesOwnedBy(db.read, actor.accountId, range),
    ({ updatedAt, id }) => ({ at: updatedAt, id }),
  ),
)
