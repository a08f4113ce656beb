import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { preparedRead } from '../client/prepared.ts'
import { trackPeaks } from '../schema/track-audio.ts'
import { tracks } from '../schema/tracks.ts'
import { changedNow } from './changed-now.ts'

const peaksOfTrack = preparedRead((db) =>
  db
    .select(getTableColumns(trackPeaks))
    .from(tracks)
    .innerJoin(trackPeaks, eq(trackPeaks.versionId, tracks.currentVersionId))
    .where(eq(tracks.id, sql.placeholder('trackId')))
    .prepare('peaks_of_track'),
)

// Hours of audio are millions of values; `Array.from` takes ten times as long as a loop.
const samplesOf = (data: Uint8Array, bits: 8 | 16) => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const samples = new Array<number>(data.byteLength / (bits / 8))
  for (let index = 0; index < samples.length; index++)
    samples[index] = bits === 8 ? view.getInt8(index) : view.getInt16(index * 2, true)
  return samples
}

/** The waveform of a track's current version; null while there is none. */
export const findTrackPeaks = async (db: Reader, trackId: string) => {
  const [peaks] = await peaksOfTrack(db).execute({ trackId })
  return peaks ? { ...peaks, data: samplesOf(peaks.data, peaks.bits) } : null
}

/** Writes the waveform of a version, over one that was measured before. */
export const replaceTrackPeaks = async (
  tx: Queryable,
  { versionId, trackId, ...measured }: typeof trackPeaks.$inferInsert,
) => {
  await tx
    .insert(trackPeaks)
    .values({ versionId, trackId, ...measured })
    .onConflictDoUpdate({ target: trackPeaks.versionId, set: { ...measured, createdAt: changedNow } })
}
