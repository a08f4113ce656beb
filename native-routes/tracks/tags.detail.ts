import { detail } from '#contracts/tracks.tags.ts'
import { listTrackTags } from '#db/queries/tracks/track-tags.ts'
import { defineRoute } from '../define-route.ts'

const findLatest = (timestamps: readonly string[]) =>
  timestamps.reduce<string | null>(
    (last, timestamp) => (last === null || timestamp > last ? timestamp : last),
    null,
  )

export const showTags = defineRoute(detail, async ({ track, query }, { db }) => {
  const tags = await listTrackTags(db.read, track.id)
  return {
    trackId: track.id,
    tags: tags.filter(({ hidden }) => query.includeHidden || !hidden),
    // Includes hidden tags, because hiding a tag changes the response too.
    updatedAt: findLatest(tags.map(({ updatedAt }) => updatedAt)),
  }
})
