import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { preparedRead } from '../client/prepared.ts'
import { accounts } from '../schema/accounts.ts'
import { mediaAssets } from '../schema/media-assets.ts'
import { packs, packTracks } from '../schema/packs.ts'
import { tracks } from '../schema/tracks.ts'

export type OwnedPack = typeof packs.$inferSelect

export const findPackOwnedBy = async (db: Reader, packId: string, ownerId: string) => {
  const [pack] = await db
    .select()
    .from(packs)
    .where(and(eq(packs.id, packId), eq(packs.ownerId, ownerId)))
  return pack ?? null
}

/** Locks a pack against deletion until the transaction ends. Returns null if this owner does not have it. */
export const lockPackOwnedBy = async (tx: Queryable, packId: string, ownerId: string) => {
  const [pack] = await tx
    .select({ id: packs.id })
    .from(packs)
    .where(and(eq(packs.id, packId), eq(packs.ownerId, ownerId)))
    .for('key share')
  return pack ?? null
}

const packWithOwner = preparedRead((db) =>
  db
    .select({ ...getTableColumns(packs), ownerDisplayName: accounts.displayName })
    .from(packs)
    .leftJoin(accounts, eq(accounts.id, packs.ownerId))
    .where(eq(packs.id, sql.placeholder('packId')))
    .prepare('pack_with_owner'),
)

/** A pack with the display name of its owner, if known. */
export const findPackWithOwner = async (db: Reader, packId: string) => {
  const [pack] = await packWithOwner(db).execute({ packId })
  return pack ?? null
}

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

/** The tracks of a pack in order, with their primary artwork and whether their audio is ready. */
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

export const findTrackOfPack = async (db: Reader, packId: string, trackId: string) => {
  const [track] = await trackOfPack(db).execute({ packId, trackId })
  return track ?? null
}
