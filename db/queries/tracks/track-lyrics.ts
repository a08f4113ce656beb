import { eq, sql } from 'drizzle-orm'
import type { EveryKeyOf, Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead, requireRow } from '../../client/drizzle.ts'
import { trackLyrics } from '../../schema/track-lyrics.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

type TrackLyricsRow = typeof trackLyrics.$inferSelect

const lyricsOfTrack = preparedRead((db) =>
  db
    .select()
    .from(trackLyrics)
    .where(eq(trackLyrics.trackId, sql.placeholder('trackId')))
    .prepare('lyrics_of_track'),
)

export const findTrackLyrics = async (db: Reader, trackId: string) =>
  firstRow(await lyricsOfTrack(db).execute({ trackId }))

type ColumnNotOfOwner = 'trackId' | 'source' | 'userEdited' | 'provider' | 'model' | 'createdAt' | 'updatedAt'
type OwnersLyrics = Omit<TrackLyricsRow, ColumnNotOfOwner>

export const replaceTrackLyricsByOwner = async <L extends OwnersLyrics>(
  tx: Queryable,
  trackId: string,
  lyrics: EveryKeyOf<OwnersLyrics, L>,
) => {
  const written = {
    ...lyrics,
    source: 'user' as const,
    userEdited: true,
    provider: null,
    model: null,
    updatedAt: statementTimestamp,
  }
  return requireRow(
    await tx
      .insert(trackLyrics)
      .values({ trackId, ...written, createdAt: statementTimestamp })
      .onConflictDoUpdate({ target: trackLyrics.trackId, set: written })
      .returning(),
  )
}

type ImportedLyrics = Omit<OwnersLyrics, 'status'>

/**
 * Changes nothing and returns false if the owner has edited or cleared the lyrics, or if recognized lyrics would
 * replace imported ones.
 */
export const importTrackLyrics = async (
  tx: Queryable,
  trackId: string,
  { source, ...lyrics }: ImportedLyrics & { readonly source: 'import' | 'ai' },
) => {
  const written = { ...lyrics, source, status: 'ready' as const, updatedAt: statementTimestamp }
  const replaceable = source === 'ai' ? sql`and ${trackLyrics.source} is distinct from 'import'` : sql``
  const imported = await tx
    .insert(trackLyrics)
    .values({ trackId, ...written, provider: null, model: null, createdAt: statementTimestamp })
    .onConflictDoUpdate({
      target: trackLyrics.trackId,
      set: written,
      setWhere: sql`not ${trackLyrics.userEdited} ${replaceable}`,
    })
    .returning({ trackId: trackLyrics.trackId })
  return imported.length > 0
}
