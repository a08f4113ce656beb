import * as z from 'zod'
import type { RegisterRoutes } from '../create-app.ts'
import { readQuery } from '../input.ts'
import { requireOwnedTrackId } from '../track-scope.ts'

const TagQuery = z.object({
  includeHidden: z
    .enum(['true', 'false'], 'expected true or false')
    .default('false')
    .transform((text) => text === 'true'),
})

interface TagRow {
  readonly hidden: boolean
  readonly updatedAt: Date
}

const findLastUpdate = (tags: readonly TagRow[]) =>
  tags.reduce<Date | null>((last, { updatedAt }) => (last && last > updatedAt ? last : updatedAt), null)

export const trackTags: RegisterRoutes = (app, { sql }) => {
  app.get('/v1/tracks/:trackId/tags', async (request) => {
    const trackId = requireOwnedTrackId(request)
    const { includeHidden } = readQuery(request, TagQuery)
    const tags = await sql<TagRow[]>`
      select id, category, value, label, numeric_value, confidence, source, hidden, created_at, updated_at
      from track_tags where track_id = ${trackId} order by category collate "C", confidence desc, id collate "C"`
    return {
      trackId,
      tags: tags.filter((tag) => includeHidden || !tag.hidden),
      updatedAt: findLastUpdate(tags),
    }
  })
}
