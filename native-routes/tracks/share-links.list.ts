import { list } from '#contracts/tracks.share-links.ts'
import { listShareLinksOfTrack as listLinksOf } from '#db/queries/track-share-links.ts'
import { defineRoute } from '../define-route.ts'

export const listTrackShareLinks = defineRoute(list, async ({ track }, { db }) => ({
  records: await listLinksOf(db.read, track.id),
}))
