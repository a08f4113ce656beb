import { list } from '#contracts/tracks.split-sheet.share-links.ts'
import { defineRoute } from '../define-route.ts'

/** The links themselves are made and listed by the core alone; here the list is empty by contract. */
export const listSplitSheetShareLinks = defineRoute(list, async () => ({ records: [] }))
