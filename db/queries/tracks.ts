import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { preparedRead } from '../client/prepared.ts'
import { requireSingleRow } from '../client/single-row.ts'
import { tracks } from '../schema/tracks.ts'
import { changedNow } from './changed-now.ts'

export type OwnedTrack = typeof tracks.$inferSelect

const trackOwnedBy = preparedRead((db) =>
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

/** The track, kept from any other change until the transaction ends; null when it is this owner's no longer. */
export const lockTrackOwnedBy = async (
  tx: Queryable,
  trackId: string,
  ownerId: string,
): Promise<OwnedTrack | null> => {
  const [track] = await tx
    .select()
    .from(tracks)
    .where(and(eq(tracks.id, trackId), eq(tracks.ownerId, ownerId)))
    .for('no key update')
  return track ?? null
}

type Metadata = 'title' | 'artist' | 'isrc' | 'isrcCompact' | 'iswc' | 'iswcCompact' | 'releaseDate'

/** What is absent stays as it is; a code changes together with its compact form. */
export type TrackMetadataChange = { readonly [F in Metadata]?: OwnedTrack[F] | undefined }

/** Changes a locked track. */
export const updateTrackMetadata = async (tx: Queryable, trackId: string, change: TrackMetadataChange) =>
  requireSingleRow(
    await tx
      .update(tracks)
      .set({ ...change, updatedAt: changedNow })
      .where(eq(tracks.id, trackId))
      .returning(),
  )

/** Changes of one track pass one after another from here on; null when it is gone. */
export const lockTrack = async (tx: Queryable, trackId: string): Promise<OwnedTrack | null> => {
  const [track] = await tx.select().from(tracks).where(eq(tracks.id, trackId)).for('no key update')
  return track ?? null
}

/** Notes how far the current audio of a locked track is. */
export const updateProcessingState = async (
  tx: Queryable,
  trackId: string,
  change: { readonly processingState: OwnedTrack['processingState']; readonly durationMs?: number | null },
) => {
  await tx
    .update(tracks)
    .set({ ...change, updatedAt: changedNow })
    .where(eq(tracks.id, trackId))
}
