import { list } from '#contracts/tracks.ts'
import { listTracksOwnedBy } from '#db/queries/tracks/tracks.ts'
import { defineRoute } from '../define-route.ts'
import { createPage, positionByCreation } from '../paging.ts'
import { encodeTrackCursor, parseTrackCursor } from './list-cursor.ts'

export const listTracks = defineRoute(list, async ({ actor, query: { limit, cursor } }, { db }) => {
  const range = { after: parseTrackCursor(cursor), limit: limit + 1 }
  const found = await listTracksOwnedBy(db.read, actor.accountId, range)
  return createPage(found, limit, positionByCreation, encodeTrackCursor)
})
