import { and, desc, eq, or, sql } from 'drizzle-orm'
import type { Reader } from '../../client/connection.ts'
import { preparedRead } from '../../client/drizzle.ts'
import { tracks } from '../../schema/tracks.ts'
import { newestFirst, type PageRange, rangeValues } from '../page-range.ts'
import {
  artworkState,
  audioStatus,
  emptySheetFields,
  failedLanes,
  lyricsState,
  wasShared,
} from './catalog-track-conditions.ts'

const facts = {
  id: tracks.id,
  title: tracks.title,
  artist: tracks.artist,
  isrc: tracks.isrcCompact,
  iswc: tracks.iswcCompact,
  releaseDate: tracks.releaseDate,
  durationMs: tracks.durationMs,
  createdAt: tracks.createdAt,
  audioStatus,
  artworkState,
  failedLanes,
  lyricsState,
  emptySheetFields,
  wasShared: sql<boolean>`${wasShared}`,
}

const selectFacts = (db: Reader) => db.select(facts).from(tracks)

const range = newestFirst(tracks.createdAt, tracks.id)
const isOwned = eq(tracks.ownerId, sql.placeholder('ownerId'))

const trackFactsOfOwner = preparedRead((db) =>
  selectFacts(db)
    .where(and(isOwned, range.isInRange))
    .orderBy(...range.order)
    .limit(range.limit)
    .prepare('track_facts_of_owner'),
)

const trackFacts = preparedRead((db) =>
  selectFacts(db)
    .where(and(isOwned, eq(tracks.id, sql.placeholder('trackId'))))
    .prepare('track_facts'),
)

type FactsRow = Awaited<ReturnType<ReturnType<typeof trackFacts>['execute']>>[number]

/** `isrc` and `iswc` are in compact form. */
export type TrackFacts = Omit<FactsRow, 'failedLanes' | 'emptySheetFields'> & {
  readonly failedLanes: readonly string[]
  readonly emptySheetFields: readonly string[] | null
}

const split = (list: string) => list.split(',').filter(Boolean)

const toFacts = ({ failedLanes, emptySheetFields, ...row }: FactsRow): TrackFacts => ({
  ...row,
  failedLanes: split(failedLanes ?? ''),
  emptySheetFields: emptySheetFields === null ? null : split(emptySheetFields),
})

export const listTrackFactsOfOwner = async (
  db: Reader,
  ownerId: string,
  uploadsExpiredAt: string,
  page: PageRange,
): Promise<TrackFacts[]> => {
  const rows = await trackFactsOfOwner(db).execute({ ownerId, uploadsExpiredAt, ...rangeValues(page) })
  return rows.map(toFacts)
}

export const findTrackFactsOwnedBy = async (
  db: Reader,
  trackId: string,
  ownerId: string,
  uploadsExpiredAt: string,
): Promise<TrackFacts | null> => {
  const [row] = await trackFacts(db).execute({ trackId, ownerId, uploadsExpiredAt })
  return row ? toFacts(row) : null
}

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
