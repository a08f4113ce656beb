import { and, eq, exists, inArray, sql } from 'drizzle-orm'
import type { Queryable } from '../../client/connection.ts'
import { firstRow } from '../../client/drizzle.ts'
import { libraryTracks } from '../../schema/libraries.ts'
import { tracks } from '../../schema/tracks.ts'

const isTrackOf = (libraryId: string, trackId: string) =>
  and(eq(libraryTracks.libraryId, libraryId), eq(libraryTracks.trackId, trackId))

export const insertLibraryTrack = async (tx: Queryable, libraryId: string, trackId: string) => {
  const nextPosition = sql<number>`(
    select coalesce(max(${libraryTracks.position}) + 1, 0) from ${libraryTracks}
    where ${eq(libraryTracks.libraryId, libraryId)})`
  return firstRow(
    await tx
      .insert(libraryTracks)
      .values({ libraryId, trackId, position: nextPosition })
      .onConflictDoNothing()
      .returning(),
  )
}

export const findLibraryTrack = async (tx: Queryable, libraryId: string, trackId: string) =>
  firstRow(await tx.select().from(libraryTracks).where(isTrackOf(libraryId, trackId)))

/** If `ownerIds` is null, the track may belong to anyone. */
export const deleteLibraryTrack = async (
  tx: Queryable,
  libraryId: string,
  trackId: string,
  ownerIds: readonly string[] | null,
) => {
  const belongsToOwners =
    ownerIds &&
    exists(
      tx
        .select({ id: tracks.id })
        .from(tracks)
        .where(and(eq(tracks.id, libraryTracks.trackId), inArray(tracks.ownerId, [...ownerIds]))),
    )
  return firstRow(
    await tx
      .delete(libraryTracks)
      .where(and(isTrackOf(libraryId, trackId), belongsToOwners ?? undefined))
      .returning(),
  )
}
