import { list } from '#contracts/internal.media-dispatches.ts'
import { listQueuedDispatches } from '#db/queries/media/media-dispatches.ts'
import { defineRoute } from '../define-route.ts'
import { listPage, positionByCreation } from '../paging.ts'

export const listQueuedMediaDispatches = defineRoute(list, ({ query }, { db }) =>
  listPage(query, (range) => listQueuedDispatches(db.read, range), positionByCreation),
)
