import { and, eq, isNotNull, ne, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../client/connection.ts'
import { preparedRead } from '../client/prepared.ts'
import { splitSheets } from '../schema/split-sheets.ts'
import { trackLyrics } from '../schema/track-lyrics.ts'
import { tracks, trackVersions } from '../schema/tracks.ts'
import {
  failedLanes,
  hasArtwork,
  hasInstrumentalTag,
  hasLyrics,
  hasPendingUpload,
  isArtworkPending,
  isTranscribing,
  wasShared,
} from './catalog-track-conditions.ts'
import { newestFirst, type PageRange, rangeValues } from './page-range.ts'

const asFlag = (condition: SQL | undefined) => sql<boolean>`coalesce(${condition}, false)`

const facts = {
  id: tracks.id,
  title: tracks.title,
  artist: tracks.artist,
  isrc: tracks.isrcCompact,
  iswc: tracks.iswcCompact,
  releaseDate: tracks.releaseDate,
  durationMs: tracks.durationMs,
  createdAt: tracks.createdAt,
  hasAudio: asFlag(isNotNull(tracks.currentVersionId)),
  isPlayable: asFlag(eq(trackVersions.status, 'ready')),
  hasFailedAudio: asFlag(eq(trackVersions.status, 'failed')),
  isUploadingAudio: hasPendingUpload('version'),
  failedLanes,
  hasArtwork,
  isArtworkPending: asFlag(isArtworkPending),
  hasLyrics: asFlag(hasLyrics),
  isTranscribing: asFlag(isTranscribing),
  /** The owner has removed the lyrics. */
  hasClearedLyrics: asFlag(and(trackLyrics.userEdited, eq(trackLyrics.status, 'none'))),
  hasInstrumentalTag,
  hasSplitSheet: asFlag(isNotNull(splitSheets.trackId)),
  hasAddress: asFlag(ne(splitSheets.address, '')),
  hasIntendedUse: asFlag(ne(splitSheets.intendedUse, '')),
  wasShared: asFlag(wasShared),
}

const selectFacts = (db: Reader) =>
  db
    .select(facts)
    .from(tracks)
    .leftJoin(trackVersions, eq(trackVersions.id, tracks.currentVersionId))
    .leftJoin(trackLyrics, eq(trackLyrics.trackId, tracks.id))
    .leftJoin(splitSheets, eq(splitSheets.trackId, tracks.id))

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

/** What a track has and lacks. `isrc` and `iswc` are compact; `failedLanes` are those of the current audio. */
export type TrackFacts = Omit<FactsRow, 'failedLanes'> & { readonly failedLanes: readonly string[] }

const toFacts = ({ failedLanes, ...row }: FactsRow): TrackFacts => ({
  ...row,
  failedLanes: failedLanes?.split(',') ?? [],
})

/** The tracks of an account, newest first. Uploads that expired before `uploadsExpiredAt` are abandoned. */
export const listTrackFactsOfOwner = async (
  db: Reader,
  ownerId: string,
  uploadsExpiredAt: string,
  page: PageRange,
): Promise<TrackFacts[]> => {
  const rows = await trackFactsOfOwner(db).execute({ ownerId, uploadsExpiredAt, ...rangeValues(page) })
  return rows.map(toFacts)
}

/** Returns null if the account does not have the track. */
export const findTrackFactsOwnedBy = async (
  db: Reader,
  trackId: string,
  ownerId: string,
  uploadsExpiredAt: string,
): Promise<TrackFacts | null> => {
  const [row] = await trackFacts(db).execute({ trackId, ownerId, uploadsExpiredAt })
  return row ? toFacts(row) : null
}
