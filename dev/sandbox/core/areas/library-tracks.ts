import * as z from 'zod'
import { requireActor } from '../authenticate.ts'
import { CoreError } from '../core-error.ts'
import type { RegisterRoutes } from '../create-app.ts'
import { requireRow } from '../database.ts'
import { id, pathId, readBody } from '../input.ts'
import { lockLibrary, requireLibrary } from './libraries.ts'

const Addition = z.object({ trackId: id })

export const libraryTracks: RegisterRoutes = (app, { sql }) => {
  app.post('/v1/libraries/:libraryId/tracks', async (request) => {
    const actor = requireActor(request)
    const library = await requireLibrary(sql, actor, pathId(request, 'libraryId'), 'editor')
    const { trackId } = readBody(request, Addition)
    return sql.begin(async (tx) => {
      const [track] = await tx`
        select id, title, artist, duration_ms from tracks
        where id = ${trackId} and owner_id in (${actor.accountId}, ${library.ownerId}) for key share`
      if (!track) throw new CoreError('track_not_found')
      await lockLibrary(tx, library.id)
      const added = await tx`
        insert into library_tracks (library_id, track_id, position)
        select ${library.id}, ${trackId}, coalesce(max(position) + 1, 0)
        from library_tracks where library_id = ${library.id}
        on conflict do nothing`
      if (added.count > 0) await tx`update libraries set updated_at = now() where id = ${library.id}`
      const row = requireRow(
        await tx`
          select library_id, track_id, position, added_at from library_tracks
          where library_id = ${library.id} and track_id = ${trackId}`,
      )
      return { ...row, track }
    })
  })

  app.delete('/v1/libraries/:libraryId/tracks/:trackId', async (request, reply) => {
    const actor = requireActor(request)
    const library = await requireLibrary(sql, actor, pathId(request, 'libraryId'), 'editor')
    const ownerFilter =
      library.grade === 'owner' ? sql`` : sql`and owner_id in (${actor.accountId}, ${library.ownerId})`
    await sql.begin(async (tx) => {
      await lockLibrary(tx, library.id)
      const removed = await tx`
        delete from library_tracks using tracks
        where library_id = ${library.id} and track_id = ${pathId(request, 'trackId')}
          and tracks.id = track_id ${ownerFilter}`
      if (removed.count === 0) throw new CoreError('track_not_found')
      await tx`update libraries set updated_at = now() where id = ${library.id}`
    })
    return reply.code(204).send()
  })
}
