import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { preparedRead } from '../client/drizzle.ts'
import { trackPeaks } from '../schema/track-audio.ts'
import { tracks } from '../schema/tracks.ts'
import { statementTimestamp } from './statement-timestamp.ts'

const peaksOfTrack = preparedRead((db) =>
  db
    .select(getTableColumns(trackPeaks))
    .from(tracks)
    .innerJoin(trackPeaks, eq(trackPeaks.versionId, tracks.currentVersionId))
    .where(eq(tracks.id, sql.placeholder('trackId')))
    .prepare('peaks_of_track'),
)

// Hours of audio have millions of values, and `Array.from` is ten times slower than a loop.
const decodeSamples = (data: Uint8Array, bits: 8 | 16) => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const samples = new Array<number>(data.byteLength / (bits / 8))
  for (let index = 0; index < samples.length; index++)
    samples[index] = bits === 8 ? view.getInt8(index) : view.getInt16(index * 2, true)
  return samples
}

/** The waveform of the current version of a track; null while there is none. */
export const findTrackPeaks = async (db: Reader, trackId: string) => {
  const [peaks] = await peaksOfTrack(db).execute({ trackId })
  return peaks ? { ...peaks, data: decodeSamples(peaks.data, peaks.bits) } : null
}

/** Inserts or replaces the waveform of a version. */
export const replaceTrackPeaks = async (
  tx: Queryable,
  { versionId, trackId, ...measured }: typeof trackPeaks.$inferInsert,
) => {
  await tx
    .insert(trackPeaks)
    .values({ versionId, trackId, ...measured })
    .onConflictDoUpdate({ target: trackPeaks.versionId, set: { ...measured, createdAt: statementTimestamp } })
}
