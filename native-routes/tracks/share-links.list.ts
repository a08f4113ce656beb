import { list } from '#contracts/tracks.share-links.ts'
import { listShareLinksOfTrack } from '#db/queries/track-share-links.ts'
import { defineRoute } from '../define-route.ts'

export const listTrackShareLinks = defineRoute(list, async ({ track }, { db }) => ({
  records: await listShareLinksOfTrack(db.read, track.id),
}))
