import { and, asc, count, eq, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead, requireRow } from '../../client/drizzle.ts'
import { newId } from '../../new-id.ts'
import { mediaAssets } from '../../schema/media-assets.ts'
import { tracks, trackVersions } from '../../schema/tracks.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

/** Selects a version's file. Every version has one, which is inserted in the same transaction. */
const isOriginalFile = and(eq(mediaAssets.versionId, trackVersions.id), eq(mediaAssets.kind, 'original'))

const versionsOfTrack = preparedRead((db) =>
  db
    .select({
      id: trackVersions.id,
      versionNumber: trackVersions.versionNumber,
      label: trackVersions.label,
      isOriginal: trackVersions.isOriginal,
      isCurrent: sql<boolean>`${trackVersions.id} = ${tracks.currentVersionId}`,
      status: trackVersions.status,
      fileName: mediaAssets.fileName,
      contentType: mediaAssets.contentType,
      byteSize: mediaAssets.byteSize,
      durationMs: trackVersions.durationMs,
      sampleRate: trackVersions.sampleRate,
      channels: trackVersions.channels,
      assetId: mediaAssets.id,
      createdAt: trackVersions.createdAt,
    })
    .from(trackVersions)
    .innerJoin(tracks, eq(tracks.id, trackVersions.trackId))
    .innerJoin(mediaAssets, isOriginalFile)
    .where(eq(trackVersions.trackId, sql.placeholder('trackId')))
    .orderBy(asc(trackVersions.versionNumber))
    .prepare('versions_of_track'),
)

export const listTrackVersions = (db: Reader, trackId: string) => versionsOfTrack(db).execute({ trackId })

export const countTrackVersions = async (db: Reader, trackId: string) => {
  const [versions] = await db
    .select({ count: count() })
    .from(trackVersions)
    .where(eq(trackVersions.trackId, trackId))
  return versions?.count ?? 0
}

/**
 * The first version is the original and becomes current; later ones do not. Insert the file in the same transaction.
 */
export const insertTrackVersion = async (
  tx: Queryable,
  track: {
    readonly id: string
    readonly lastVersionNumber: number
    readonly currentVersionId: string | null
  },
) => {
  const version = requireRow(
    await tx
      .insert(trackVersions)
      .values({
        id: newId(),
        trackId: track.id,
        versionNumber: track.lastVersionNumber + 1,
        label: null,
        durationMs: null,
        sampleRate: null,
        channels: null,
      })
      .returning(),
  )
  const currentVersionId = track.currentVersionId ?? version.id
  await tx
    .update(tracks)
    .set({ lastVersionNumber: version.versionNumber, currentVersionId, updatedAt: statementTimestamp })
    .where(eq(tracks.id, track.id))
  return { ...version, isCurrent: currentVersionId === version.id }
}

export type TrackVersion = typeof trackVersions.$inferSelect

export const findTrackVersion = async (db: Reader, trackId: string, versionId: string) =>
  firstRow(
    await db
      .select()
      .from(trackVersions)
      .where(and(eq(trackVersions.id, versionId), eq(trackVersions.trackId, trackId))),
  )

export const findOriginalVersion = async (db: Reader, trackId: string) =>
  firstRow(
    await db
      .select()
      .from(trackVersions)
      .where(and(eq(trackVersions.versionNumber, 1), eq(trackVersions.trackId, trackId))),
  )

export const setCurrentVersion = async (
  tx: Queryable,
  version: { readonly id: string; readonly trackId: string; readonly durationMs: number | null },
) => {
  await tx
    .update(tracks)
    .set({ currentVersionId: version.id, durationMs: version.durationMs, updatedAt: statementTimestamp })
    .where(eq(tracks.id, version.trackId))
}

/** The version must be neither current nor the original. */
export const deleteTrackVersion = async (tx: Queryable, versionId: string) => {
  await tx.delete(trackVersions).where(eq(trackVersions.id, versionId))
}

export interface AudioProperties {
  readonly durationMs: number | null
  readonly sampleRate: number | null
  readonly channels: number | null
}

export const updateTrackVersion = async (
  tx: Queryable,
  versionId: string,
  change: (AudioProperties & { readonly status: 'ready' | 'failed' }) | { readonly status: 'processing' },
) => {
  await tx
    .update(trackVersions)
    .set({ ...change, updatedAt: statementTimestamp })
    .where(eq(trackVersions.id, versionId))
}
