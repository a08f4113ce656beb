import { list } from '#contracts/packs.links.ts'
import { listLinksOfPack } from '#db/queries/packs/pack-links.ts'
import { defineRoute } from '../define-route.ts'
import { listRecords, positionByCreation } from '../paging.ts'
import { presentPackLink } from './present-pack-link.ts'

export const listPackLinks = defineRoute(list, async ({ pack, query }, { db }) => {
  const { records, ...page } = await listRecords(
    query,
    (range) => listLinksOfPack(db.read, pack.id, range),
    positionByCreation,
  )
  return { records: records.map(presentPackLink), ...page }
})
