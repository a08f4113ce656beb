import { list } from '#contracts/internal.media-dispatches.ts'
import { listQueuedDispatches } from '#db/queries/media/media-dispatches.ts'
import { defineRoute } from '../define-route.ts'
import { createPage, parseCursor, positionByCreation } from '../paging.ts'

export const listQueuedMediaDispatches = defineRoute(list, async ({ query }, { db }) => {
  const after = parseCursor(query.cursor)
  const found = await listQueuedDispatches(db.read, { after, limit: query.limit + 1 })
  return createPage(found, query.limit, positionByCreation)
})
