import { and, asc, count, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import type { NewRow, Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead } from '../../client/drizzle.ts'
import { mediaAssets } from '../../schema/media-assets.ts'
import { tracks, trackVersions } from '../../schema/tracks.ts'
import { newestFirst, type PageRange, rangeValues } from '../page-range.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

const range = newestFirst(mediaAssets.createdAt, mediaAssets.id)

const artworkAndDocumentsOfTrack = preparedRead((db) =>
  db
    .select()
    .from(mediaAssets)
    .where(
      and(
        eq(mediaAssets.trackId, sql.placeholder('trackId')),
        inArray(mediaAssets.kind, ['artwork', 'document']),
        range.isInRange,
      ),
    )
    .orderBy(...range.order)
    .limit(range.limit)
    .prepare('artwork_and_documents_of_track'),
)

export const listArtworkAndDocuments = (db: Reader, trackId: string, page: PageRange) =>
  artworkAndDocumentsOfTrack(db).execute({ trackId, ...rangeValues(page) })

export const countDocumentsOfTrack = async (db: Reader, trackId: string) => {
  const [documents] = await db
    .select({ count: count() })
    .from(mediaAssets)
    .where(and(eq(mediaAssets.trackId, trackId), eq(mediaAssets.kind, 'document')))
  return documents?.count ?? 0
}

export type MediaAssetRow = typeof mediaAssets.$inferSelect

export const insertMediaAsset = async (tx: Queryable, asset: NewRow<typeof mediaAssets>) => {
  await tx.insert(mediaAssets).values(asset)
}

const assetsOfTrack = preparedRead((db) =>
  db
    .select()
    .from(mediaAssets)
    .where(eq(mediaAssets.trackId, sql.placeholder('trackId')))
    .orderBy(asc(mediaAssets.createdAt), asc(mediaAssets.id))
    .prepare('assets_of_track'),
)

export const listMediaAssets = (db: Reader, trackId: string) => assetsOfTrack(db).execute({ trackId })

const currentAudioOfTrack = preparedRead((db) =>
  db
    .select({
      ...getTableColumns(mediaAssets),
      versionStatus: trackVersions.status,
      durationMs: trackVersions.durationMs,
    })
    .from(tracks)
    .innerJoin(trackVersions, eq(trackVersions.id, tracks.currentVersionId))
    .innerJoin(
      mediaAssets,
      and(eq(mediaAssets.versionId, trackVersions.id), eq(mediaAssets.kind, 'original')),
    )
    .where(eq(tracks.id, sql.placeholder('trackId')))
    .prepare('current_audio_of_track'),
)

export const findCurrentAudio = async (db: Reader, trackId: string) =>
  firstRow(await currentAudioOfTrack(db).execute({ trackId }))

export const findMediaAssetOfTrack = async (db: Reader, trackId: string, assetId: string) =>
  firstRow(
    await db
      .select()
      .from(mediaAssets)
      .where(and(eq(mediaAssets.id, assetId), eq(mediaAssets.trackId, trackId))),
  )

export const findMediaAsset = async (db: Reader, assetId: string) =>
  firstRow(await db.select().from(mediaAssets).where(eq(mediaAssets.id, assetId)))

export const findVersionAudio = async (db: Reader, versionId: string) =>
  firstRow(
    await db
      .select()
      .from(mediaAssets)
      .where(and(eq(mediaAssets.versionId, versionId), eq(mediaAssets.kind, 'original'))),
  )

export const updateStorageKeyIfUnchanged = async (
  tx: Queryable,
  assetId: string,
  from: string,
  to: string,
) => {
  const moved = await tx
    .update(mediaAssets)
    .set({ storageKey: to, updatedAt: statementTimestamp })
    .where(and(eq(mediaAssets.id, assetId), eq(mediaAssets.storageKey, from)))
    .returning({ id: mediaAssets.id })
  return moved.length > 0
}

export const updateMediaAsset = async (
  tx: Queryable,
  assetId: string,
  outcome: {
    readonly status: MediaAssetRow['status']
    readonly contentType?: string
    readonly width?: number | null
    readonly height?: number | null
  },
) => {
  await tx
    .update(mediaAssets)
    .set({ ...outcome, updatedAt: statementTimestamp })
    .where(eq(mediaAssets.id, assetId))
}

export const setPrimaryArtworkIfNone = async (tx: Queryable, trackId: string, assetId: string) => {
  await tx
    .update(mediaAssets)
    .set({ isPrimary: true, updatedAt: statementTimestamp })
    .where(
      and(
        eq(mediaAssets.id, assetId),
        eq(mediaAssets.status, 'ready'),
        sql`not exists (select from ${mediaAssets} other where other.track_id = ${trackId} and other.is_primary)`,
      ),
    )
}
