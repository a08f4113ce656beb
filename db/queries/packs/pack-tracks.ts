import { and, asc, count, eq, gte, inArray, ne, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead, requireRow } from '../../client/drizzle.ts'
import { mediaAssets } from '../../schema/media-assets.ts'
import { packTracks } from '../../schema/packs.ts'
import { tracks } from '../../schema/tracks.ts'

const tracksOfPack = preparedRead((db) =>
  db
    .select({
      id: tracks.id,
      position: packTracks.position,
      title: tracks.title,
      artist: tracks.artist,
      durationMs: tracks.durationMs,
      releaseDate: tracks.releaseDate,
      artwork: { storageKey: mediaAssets.storageKey, contentType: mediaAssets.contentType },
      hasAudio: sql<boolean>`exists (
        select from media_assets audio
        where audio.version_id = ${tracks.currentVersionId} and audio.kind = 'original' and audio.status = 'ready')`,
    })
    .from(packTracks)
    .innerJoin(tracks, eq(tracks.id, packTracks.trackId))
    .leftJoin(mediaAssets, and(eq(mediaAssets.trackId, tracks.id), mediaAssets.isPrimary))
    .where(eq(packTracks.packId, sql.placeholder('packId')))
    .orderBy(asc(packTracks.position), asc(packTracks.addedAt), asc(tracks.id))
    .prepare('tracks_of_pack'),
)

export const listTracksOfPack = (db: Reader, packId: string) => tracksOfPack(db).execute({ packId })

const trackOfPack = preparedRead((db) =>
  db
    .select({ id: tracks.id, durationMs: tracks.durationMs })
    .from(packTracks)
    .innerJoin(tracks, eq(tracks.id, packTracks.trackId))
    .where(
      and(
        eq(packTracks.packId, sql.placeholder('packId')),
        eq(packTracks.trackId, sql.placeholder('trackId')),
      ),
    )
    .prepare('track_of_pack'),
)

export const findTrackOfPack = async (db: Reader, packId: string, trackId: string) =>
  firstRow(await trackOfPack(db).execute({ packId, trackId }))

const isTrackOf = (packId: string, trackId: string) =>
  and(eq(packTracks.packId, packId), eq(packTracks.trackId, trackId))

export const listPackTracks = (db: Reader, packId: string) =>
  db
    .select()
    .from(packTracks)
    .where(eq(packTracks.packId, packId))
    .orderBy(asc(packTracks.position), asc(packTracks.addedAt), asc(packTracks.trackId))

export const findPackTrack = async (db: Reader, packId: string, trackId: string) =>
  firstRow(await db.select().from(packTracks).where(isTrackOf(packId, trackId)))

export const countPackTracks = async (db: Reader, packId: string) => {
  const [entries] = await db.select({ count: count() }).from(packTracks).where(eq(packTracks.packId, packId))
  return entries?.count ?? 0
}

/** The position must not leave a gap. */
export const insertPackTrack = async (
  tx: Queryable,
  entry: { readonly packId: string; readonly trackId: string; readonly position: number },
) => {
  await tx
    .update(packTracks)
    .set({ position: sql`${packTracks.position} + 1` })
    .where(and(eq(packTracks.packId, entry.packId), gte(packTracks.position, entry.position)))
  return requireRow(await tx.insert(packTracks).values(entry).returning())
}

export const deletePackTrack = async (tx: Queryable, packId: string, trackId: string) =>
  firstRow(await tx.delete(packTracks).where(isTrackOf(packId, trackId)).returning())

// One parameter for all ids, because a statement can have only about 65,000 parameters.
const idsFrom = (ids: readonly string[]) =>
  sql`json_array_elements_text(${JSON.stringify(ids)}::text::json) with ordinality as wanted (id, ordinal)`

export const closePackGaps = async (tx: Queryable, packIds: readonly string[]) => {
  await tx.execute(sql`
    update ${packTracks} set position = ranked.position
    from (
      select pack_id, track_id,
        row_number() over (partition by pack_id order by position, added_at, track_id) - 1 as position
      from ${packTracks} where ${inArray(packTracks.packId, sql`(select wanted.id from ${idsFrom(packIds)})`)}
    ) as ranked
    where ${packTracks.packId} = ranked.pack_id and ${packTracks.trackId} = ranked.track_id
      and ${ne(packTracks.position, sql`ranked.position`)}`)
}

/** `trackIds` must contain exactly the pack's tracks. */
export const reorderPackTracks = async (tx: Queryable, packId: string, trackIds: readonly string[]) => {
  await tx.execute(sql`
    update ${packTracks} set position = wanted.ordinal - 1 from ${idsFrom(trackIds)}
    where ${and(eq(packTracks.packId, packId), eq(packTracks.trackId, sql`wanted.id`))}
      and ${ne(packTracks.position, sql`wanted.ordinal - 1`)}`)
}
