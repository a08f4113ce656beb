import { list } from '#contracts/tracks.split-sheet.share-links.ts'
import { defineRoute } from '../define-route.ts'
import { listRecords, positionByCreation } from '../paging.ts'

/** Only the core creates and lists these links. By contract, the native list is empty. */
export const listSplitSheetShareLinks = defineRoute(list, ({ query }) =>
  listRecords<never>(query, async () => [], positionByCreation),
)
