import { list } from '#contracts/packs.ts'
import { listPacksOwnedBy } from '#db/queries/packs/packs.ts'
import { defineRoute } from '../define-route.ts'
import { listRecords, positionByCreation } from '../paging.ts'

export const listPacks = defineRoute(list, ({ actor, query }, { db }) =>
  listRecords(query, (range) => listPacksOwnedBy(db.read, actor.accountId, range), positionByCreation),
)
