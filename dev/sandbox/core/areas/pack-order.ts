import { CoreError } from '../core-error.ts'
import type { Queryable } from '../database.ts'

/** Requests that only keep the pack from being deleted (`for key share`) do not wait. */
export const lockPack = async (tx: Queryable, packId: string) => {
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

/** Renumbers the tracks of locked packs from 0, in order and without gaps. */
export const closePackGaps = (sql: Queryable, packIds: string[]) => sql`
  update pack_tracks set position = ranked.position
  from (
    select pack_id, track_id,
      row_number() over (partition by pack_id order by position, added_at, track_id) - 1 as position
    from pack_tracks where pack_id = any(${packIds})
  ) as ranked
  where pack_tracks.pack_id = ranked.pack_id and pack_tracks.track_id = ranked.track_id
    and pack_tracks.position <> ranked.position`

export const touchPack = (sql: Queryable, packId: string) =>
  sql`update packs set updated_at = now() where id = ${packId}`
