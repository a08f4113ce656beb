import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../connection.ts'
import { prepared } from '../prepared.ts'
import { tracks } from '../schema/tracks.ts'

export type OwnedTrack = typeof tracks.$inferSelect

const trackOwnedBy = prepared((db) =>
  db
    .select()
    .from(tracks)
    .where(and(eq(tracks.id, sql.placeholder('trackId')), eq(tracks.ownerId, sql.placeholder('ownerId'))))
    .prepare('track_owned_by'),
)

export const findTrackOwnedBy = async (
  db: Reader,
  trackId: string,
  ownerId: string,
): Promise<OwnedTrack | null> => {
  const [track] = await trackOwnedBy(db).execute({ trackId, ownerId })
  return track ?? null
}

/** The track of any of these owners, kept from being deleted until the transaction ends. */
export const lockTrackOwnedByAny = async (tx: Queryable, trackId: string, ownerIds: readonly string[]) => {
  const [track] = await tx
    .select({ id: tracks.id, title: tracks.title, artist: tracks.artist, durationMs: tracks.durationMs })
    .from(tracks)
    .where(and(eq(tracks.id, trackId), inArray(tracks.ownerId, [...ownerIds])))
    .for('key share')
  return track ?? null
}
