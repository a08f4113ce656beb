import * as z from 'zod'
import { requireActor } from '../authenticate.ts'
import { CoreError } from '../core-error.ts'
import type { RegisterRoutes } from '../create-app.ts'
import type { Queryable } from '../database.ts'
import { id, pathId, readBody } from '../input.ts'
import { requirePack } from './packs.ts'

interface PackTrackRow {
  readonly trackId: string
}

const columns = (sql: Queryable) => sql`pack_id, track_id, position, added_at`

const Addition = z.object({
  trackId: id,
  position: z
    .int('expected a whole number')
    .min(0, 'expected 0 or more')
    .max(100_000, 'expected at most 100000')
    .optional(),
})

const Order = z.object({ trackIds: z.array(id, 'expected an array') })

/** Requests that only keep the pack from being deleted (`for key share`) do not wait. */
const lockPack = async (tx: Queryable, packId: string) => {
  const [pack] = await tx`select 1 from packs where id = ${packId} for no key update`
  if (!pack) throw new CoreError('pack_not_found')
}

/** The consistent lock order prevents deadlocks. */
export const lockPacksOfTrack = async (sql: Queryable, trackId: string) => {
  const packs = await sql<{ id: string }[]>`
    select id from packs where id in (select pack_id from pack_tracks where track_id = ${trackId})
    order by id for no key update`
  return packs.map((pack) => pack.id)
}

export const closePackGaps = (sql: Queryable, packIds: string[]) => sql`
  update pack_tracks set position = ranked.position
  from (
    select pack_id, track_id,
      row_number() over (partition by pack_id order by position, added_at, track_id) - 1 as position
    from pack_tracks where pack_id = any(${packIds})
  ) as ranked
  where pack_tracks.pack_id = ranked.pack_id and pack_tracks.track_id = ranked.track_id
    and pack_tracks.position <> ranked.position`

const touchPack = (sql: Queryable, packId: string) =>
  sql`update packs set updated_at = now() where id = ${packId}`

const listPackTracks = (sql: Queryable, packId: string) => sql<PackTrackRow[]>`
  select ${columns(sql)} from pack_tracks where pack_id = ${packId} order by position, added_at, track_id`

const insertAt = async (tx: Queryable, packId: string, trackId: string, requested: number, count: number) => {
  const position = Math.min(requested, count)
  await tx`update pack_tracks set position = position + 1 where pack_id = ${packId} and position >= ${position}`
  const [added] = await tx<PackTrackRow[]>`
    insert into pack_tracks ${tx({ packId, trackId, position })} returning ${columns(tx)}`
  return added
}

const isPermutation = (order: readonly string[], current: readonly PackTrackRow[]) =>
  order.length === current.length &&
  new Set(order).size === order.length &&
  current.every((track) => order.includes(track.trackId))

export const packTracks: RegisterRoutes = (app, { sql }) => {
  app.post('/v1/packs/:packId/tracks', async (request) => {
    const actor = requireActor(request)
    const pack = await requirePack(sql, actor, pathId(request, 'packId'))
    const { trackId, position } = readBody(request, Addition)
    return sql.begin(async (tx) => {
      // Locks the track before the pack, in the same order as a track's removal, to prevent deadlocks.
      const [track] = await tx`
        select 1 from tracks where id = ${trackId} and owner_id = ${actor.accountId} for key share`
      if (!track) throw new CoreError('track_not_found')
      await lockPack(tx, pack.id)
      const current = await listPackTracks(tx, pack.id)
      const existing = current.find((entry) => entry.trackId === trackId)
      if (existing) return existing
      await touchPack(tx, pack.id)
      return insertAt(tx, pack.id, trackId, position ?? current.length, current.length)
    })
  })

  app.delete('/v1/packs/:packId/tracks/:trackId', async (request, reply) => {
    const pack = await requirePack(sql, requireActor(request), pathId(request, 'packId'))
    await sql.begin(async (tx) => {
      await lockPack(tx, pack.id)
      const removed = await tx`
        delete from pack_tracks where pack_id = ${pack.id} and track_id = ${pathId(request, 'trackId')}`
      if (removed.count === 0) throw new CoreError('track_not_found')
      await closePackGaps(tx, [pack.id])
      await touchPack(tx, pack.id)
    })
    return reply.code(204).send()
  })

  app.put('/v1/packs/:packId/tracks/order', async (request) => {
    const pack = await requirePack(sql, requireActor(request), pathId(request, 'packId'))
    const { trackIds } = readBody(request, Order)
    return sql.begin(async (tx) => {
      await lockPack(tx, pack.id)
      if (!isPermutation(trackIds, await listPackTracks(tx, pack.id)))
        throw new CoreError('track_set_mismatch')
      await tx`
        update pack_tracks set position = wanted.ordinal - 1
        from unnest(${trackIds}::text[]) with ordinality as wanted(track_id, ordinal)
        where pack_tracks.pack_id = ${pack.id} and pack_tracks.track_id = wanted.track_id`
      await touchPack(tx, pack.id)
      return { records: await listPackTracks(tx, pack.id) }
    })
  })
}
