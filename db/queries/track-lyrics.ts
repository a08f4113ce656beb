import { eq, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { preparedRead } from '../client/prepared.ts'
import { requireSingleRow } from '../client/single-row.ts'
import { trackLyrics } from '../schema/track-lyrics.ts'
import { changedNow } from './changed-now.ts'

type TrackLyricsRow = typeof trackLyrics.$inferSelect

const lyricsOfTrack = preparedRead((db) =>
  db
    .select()
    .from(trackLyrics)
    .where(eq(trackLyrics.trackId, sql.placeholder('trackId')))
    .prepare('lyrics_of_track'),
)

export const findTrackLyrics = async (db: Reader, trackId: string) => {
  const [lyrics] = await lyricsOfTrack(db).execute({ trackId })
  return lyrics ?? null
}

/** Replaces the lyrics of a locked track by what its owner wrote, whoever wrote what was there. */
export const replaceTrackLyricsByOwner = async (
  tx: Queryable,
  trackId: string,
  lyrics: Pick<TrackLyricsRow, 'text' | 'language' | 'lines' | 'status'>,
) => {
  const written = {
    ...lyrics,
    source: 'user' as const,
    userEdited: true,
    provider: null,
    model: null,
    updatedAt: changedNow,
  }
  return requireSingleRow(
    await tx
      .insert(trackLyrics)
      .values({ trackId, ...written, createdAt: changedNow })
      .onConflictDoUpdate({ target: trackLyrics.trackId, set: written })
      .returning(),
  )
}

type FoundLyrics = Pick<TrackLyricsRow, 'text' | 'language' | 'lines'>

/**
 * Writes lyrics that were found, over others that were found before; false where the owner has written their own, or
 * cleared them, or where recognised words would replace those that came with the file.
 */
export const importTrackLyrics = async (
  tx: Queryable,
  trackId: string,
  { source, ...lyrics }: FoundLyrics & { readonly source: 'import' | 'ai' },
) => {
  const written = { ...lyrics, source, status: 'ready' as const, updatedAt: changedNow }
  const replaceable = source === 'ai' ? sql`and ${trackLyrics.source} is distinct from 'import'` : sql``
  const imported = await tx
    .insert(trackLyrics)
    .values({ trackId, ...written, createdAt: changedNow })
    .onConflictDoUpdate({
      target: trackLyrics.trackId,
      set: written,
      setWhere: sql`not ${trackLyrics.userEdited} ${replaceable}`,
    })
    .returning({ trackId: trackLyrics.trackId })
  return imported.length > 0
}
