import { and, asc, eq, inArray, isNull, or, sql } from 'drizzle-orm'
import type { NewRow, Queryable, Reader } from '../client/connection.ts'
import { preparedRead } from '../client/drizzle.ts'
import { newId } from '../new-id.ts'
import { mediaAssets } from '../schema/media-assets.ts'
import { processingLanes } from '../schema/processing.ts'
import { trackStems } from '../schema/track-audio.ts'
import { tracks } from '../schema/tracks.ts'

// A single statement reads the status of the separation and the stems, so that they are consistent.
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

/** The stems of the current version and the uploaded stems, oldest first, with the status of the separation. */
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

/** Deletes the stems that were separated from a version, and their files. */
export const deleteSeparatedStems = async (tx: Queryable, versionId: string) => {
  const separated = tx
    .select({ assetId: trackStems.assetId })
    .from(trackStems)
    .where(and(eq(trackStems.versionId, versionId), eq(trackStems.source, 'ai')))
  await tx.delete(mediaAssets).where(inArray(mediaAssets.id, separated))
}
