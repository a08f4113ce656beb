import { detail } from '#contracts/tracks.tags.ts'
import { listTrackTags } from '#db/queries/track-tags.ts'
import { defineRoute } from '../define-route.ts'

const lastOf = (moments: readonly string[]) =>
  moments.reduce<string | null>((last, moment) => (last === null || moment > last ? moment : last), null)

export const showTags = defineRoute(detail, async ({ track, query }, { db }) => {
  const tags = await listTrackTags(db.read, track.id)
  return {
    trackId: track.id,
    tags: tags.filter(({ hidden }) => query.includeHidden || !hidden),
    // Of the hidden ones too: to hide a tag changes what is shown.
    updatedAt: lastOf(tags.map(({ updatedAt }) => updatedAt)),
  }
})
