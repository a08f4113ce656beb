import { list } from '#contracts/tracks.share-links.ts'
import { listShareLinksOfTrack } from '#db/queries/tracks/track-share-links.ts'
import { defineRoute } from '../define-route.ts'
import { listRecords, positionByCreation } from '../paging.ts'

export const listTrackShareLinks = defineRoute(list, ({ track, query }, { db }) =>
  listRecords(query, (range) => listShareLinksOfTrack(db.read, track.id, range), positionByCreation),
)
