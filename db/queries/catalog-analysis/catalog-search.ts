import { and, desc, eq, or, sql } from 'drizzle-orm'
import type { Reader } from '../../client/connection.ts'
import { tracks } from '../../schema/tracks.ts'

export const searchTracksOwnedBy = (db: Reader, ownerId: string, text: string, limit: number) => {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  const isrc = text.replace(/[^A-Za-z0-9]/g, '').toUpperCase()
  const matches = or(
    sql`${tracks.title} ilike ${pattern}`,
    sql`${tracks.artist} ilike ${pattern}`,
    isrc === '' ? undefined : eq(tracks.isrcCompact, isrc),
  )
  return db
    .select({
      id: tracks.id,
      title: tracks.title,
      artist: tracks.artist,
      isrc: tracks.isrc,
      iswc: tracks.iswc,
      releaseDate: tracks.releaseDate,
      durationMs: tracks.durationMs,
      processingState: tracks.processingState,
      createdAt: tracks.createdAt,
      found: sql<number>`(count(*) over ())::int`,
    })
    .from(tracks)
    .where(and(eq(tracks.ownerId, ownerId), matches))
    .orderBy(desc(tracks.createdAt), desc(tracks.id))
    .limit(limit)
}
