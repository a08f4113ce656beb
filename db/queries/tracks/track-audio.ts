import { and, asc, eq, getTableColumns, inArray, isNull, or, sql } from 'drizzle-orm'
import type { NewRow, Queryable, Reader } from '../../client/connection.ts'
import { preparedRead } from '../../client/drizzle.ts'
import { newId } from '../../new-id.ts'
import { mediaAssets } from '../../schema/media-assets.ts'
import { processingLanes } from '../../schema/processing.ts'
import { trackEmbeddings, trackPeaks, trackStems } from '../../schema/track-audio.ts'
import { tracks } from '../../schema/tracks.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

const peaksOfTrack = preparedRead((db) =>
  db
    .select(getTableColumns(trackPeaks))
    .from(tracks)
    .innerJoin(trackPeaks, eq(trackPeaks.versionId, tracks.currentVersionId))
    .where(eq(tracks.id, sql.placeholder('trackId')))
    .prepare('peaks_of_track'),
)

// A loop, because hours of audio have millions of values and `Array.from` is ten times slower.
const decodeSamples = (data: Uint8Array, bits: 8 | 16) => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const samples = new Array<number>(data.byteLength / (bits / 8))
  for (let index = 0; index < samples.length; index++)
    samples[index] = bits === 8 ? view.getInt8(index) : view.getInt16(index * 2, true)
  return samples
}

export const findTrackPeaks = async (db: Reader, trackId: string) => {
  const [peaks] = await peaksOfTrack(db).execute({ trackId })
  return peaks ? { ...peaks, data: decodeSamples(peaks.data, peaks.bits) } : null
}

export const replaceTrackPeaks = async (
  tx: Queryable,
  { versionId, trackId, ...measured }: typeof trackPeaks.$inferInsert,
) => {
  await tx
    .insert(trackPeaks)
    .values({ versionId, trackId, ...measured })
    .onConflictDoUpdate({ target: trackPeaks.versionId, set: { ...measured, createdAt: statementTimestamp } })
}

// Reads the separation status and the stems in one statement, so that they are consistent.
const stemsOfTrack = preparedRead((db) =>
  db
    .select({
      lane: processingLanes.status,
      hasAudio: sql<boolean>`${tracks.currentVersionId} is not null`,
      stem: {
        id: trackStems.id,
        kind: trackStems.kind,
        label: trackStems.label,
        assetId: trackStems.assetId,
        durationMs: trackStems.durationMs,
        source: trackStems.source,
        createdAt: trackStems.createdAt,
      },
      file: { contentType: mediaAssets.contentType, byteSize: mediaAssets.byteSize },
    })
    .from(tracks)
    .leftJoin(processingLanes, and(eq(processingLanes.trackId, tracks.id), eq(processingLanes.lane, 'stems')))
    .leftJoin(
      trackStems,
      and(
        eq(trackStems.trackId, tracks.id),
        or(isNull(trackStems.versionId), eq(trackStems.versionId, tracks.currentVersionId)),
      ),
    )
    .leftJoin(mediaAssets, eq(mediaAssets.id, trackStems.assetId))
    .where(eq(tracks.id, sql.placeholder('trackId')))
    .orderBy(asc(trackStems.createdAt), asc(trackStems.id))
    .prepare('stems_of_track'),
)

export const findTrackStems = async (db: Reader, trackId: string) => {
  const rows = await stemsOfTrack(db).execute({ trackId })
  const [first] = rows
  return {
    lane: first?.lane ?? null,
    hasAudio: first?.hasAudio ?? false,
    stems: rows.flatMap(({ stem, file }) => (stem && file ? [{ ...stem, ...file }] : [])),
  }
}

export const insertTrackStem = async (tx: Queryable, stem: Omit<NewRow<typeof trackStems>, 'id'>) => {
  await tx.insert(trackStems).values({ id: newId(), ...stem })
}

export const deleteSeparatedStems = async (tx: Queryable, versionId: string) => {
  const separated = tx
    .select({ assetId: trackStems.assetId })
    .from(trackStems)
    .where(and(eq(trackStems.versionId, versionId), eq(trackStems.source, 'ai')))
  await tx.delete(mediaAssets).where(inArray(mediaAssets.id, separated))
}

export const replaceTrackEmbedding = async (
  tx: Queryable,
  { vector, ...version }: Pick<typeof trackEmbeddings.$inferInsert, 'trackId' | 'versionId' | 'vector'>,
) => {
  await tx
    .insert(trackEmbeddings)
    .values({ ...version, vector })
    .onConflictDoUpdate({ target: trackEmbeddings.versionId, set: { vector, updatedAt: statementTimestamp } })
}
