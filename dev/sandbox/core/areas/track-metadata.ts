import * as z from 'zod'
import { CoreError } from '../core-error.ts'
import type { RegisterRoutes } from '../create-app.ts'
import { readBody } from '../input.ts'
import { requireOwnedTrackId } from '../track-scope.ts'
import { type TrackRow, toColumns, trackColumns, trackFields } from './track-fields.ts'

const MetadataChange = z
  .object(trackFields)
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'nothing to change')

export const trackMetadata: RegisterRoutes = (app, { sql }) => {
  app.patch('/v1/tracks/:trackId/metadata', async (request) => {
    const change = readBody(request, MetadataChange)
    const [track] = await sql<TrackRow[]>`
      update tracks set ${sql(toColumns(change))}, updated_at = now()
      where id = ${requireOwnedTrackId(request)} returning ${trackColumns(sql)}`
    if (!track) throw new CoreError('track_not_found')
    return track
  })
}
