import { and, eq, inArray, sql } from 'drizzle-orm'
import type { EveryKeyOf, Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead, requireRow } from '../../client/drizzle.ts'
import { newId } from '../../new-id.ts'
import { tracks } from '../../schema/tracks.ts'
import { newestFirst, type PageRange, rangeValues } from '../page-range.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

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
): Promise<OwnedTrack | null> => firstRow(await trackOwnedBy(db).execute({ trackId, ownerId }))

const range = newestFirst(tracks.createdAt, tracks.id)

const tracksOwnedBy = preparedRead((db) =>
  db
    .select()
    .from(tracks)
    .where(and(eq(tracks.ownerId, sql.placeholder('ownerId')), range.isInRange))
    .orderBy(...range.order)
    .limit(range.limit)
    .prepare('tracks_owned_by'),
)

export const listTracksOwnedBy = (db: Reader, ownerId: string, page: PageRange): Promise<OwnedTrack[]> =>
  tracksOwnedBy(db).execute({ ownerId, ...rangeValues(page) })

export const lockTrackOwnedByAny = async (tx: Queryable, trackId: string, ownerIds: readonly string[]) =>
  firstRow(
    await tx
      .select({ id: tracks.id, title: tracks.title, artist: tracks.artist, durationMs: tracks.durationMs })
      .from(tracks)
      .where(and(eq(tracks.id, trackId), inArray(tracks.ownerId, [...ownerIds])))
      .for('key share'),
  )

export const lockTrackOwnedBy = async (
  tx: Queryable,
  trackId: string,
  ownerId: string,
): Promise<OwnedTrack | null> =>
  firstRow(
    await tx
      .select()
      .from(tracks)
      .where(and(eq(tracks.id, trackId), eq(tracks.ownerId, ownerId)))
      .for('no key update'),
  )

export const lockTrackForDeletion = async (tx: Queryable, trackId: string, ownerId: string) =>
  firstRow(
    await tx
      .select({ id: tracks.id })
      .from(tracks)
      .where(and(eq(tracks.id, trackId), eq(tracks.ownerId, ownerId)))
      .for('update'),
  )

type ColumnNotOfOwner =
  | 'id'
  | 'ownerId'
  | 'durationMs'
  | 'currentVersionId'
  | 'lastVersionNumber'
  | 'originalVersionNumber'
  | 'processingState'
  | 'createdAt'
  | 'updatedAt'
type Metadata = Omit<OwnedTrack, ColumnNotOfOwner>

type NewTrack = Metadata & Pick<OwnedTrack, 'ownerId'>

/** A code and its compact form must be either both null or both set. */
export const insertTrack = async <T extends NewTrack>(tx: Queryable, track: EveryKeyOf<NewTrack, T>) =>
  requireRow(
    await tx
      .insert(tracks)
      .values({ id: newId(), durationMs: null, currentVersionId: null, ...track })
      .returning(),
  )

/** A code and its compact form change together. */
type MetadataChange = { readonly [C in keyof Metadata]?: Metadata[C] | undefined }

export const updateTrackMetadata = async <C extends MetadataChange>(
  tx: Queryable,
  trackId: string,
  change: EveryKeyOf<MetadataChange, C>,
) =>
  requireRow(
    await tx
      .update(tracks)
      .set({ ...change, updatedAt: statementTimestamp })
      .where(eq(tracks.id, trackId))
      .returning(),
  )

export const lockTrack = async (tx: Queryable, trackId: string): Promise<OwnedTrack | null> =>
  firstRow(await tx.select().from(tracks).where(eq(tracks.id, trackId)).for('no key update'))

export const updateProcessingState = async (
  tx: Queryable,
  trackId: string,
  change: { readonly processingState: OwnedTrack['processingState']; readonly durationMs?: number | null },
) => {
  await tx
    .update(tracks)
    .set({ ...change, updatedAt: statementTimestamp })
    .where(eq(tracks.id, trackId))
}

/** Keeps the track's engagement events. Triggers schedule the removal of its stored files and uploads. */
export const deleteTrack = async (tx: Queryable, trackId: string) =>
  firstRow(await tx.delete(tracks).where(eq(tracks.id, trackId)).returning({ id: tracks.id }))
