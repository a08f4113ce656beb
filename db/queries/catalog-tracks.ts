import { and, eq, isNotNull, ne, not, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Reader } from '../client/connection.ts'
import { preparedRead } from '../client/prepared.ts'
import { engagementLinks } from '../schema/engagement-rollups.ts'
import { libraryShares, libraryTracks } from '../schema/libraries.ts'
import { mediaAssets } from '../schema/media-assets.ts'
import { packInvitations, packLinks, packTracks } from '../schema/packs.ts'
import { processingLanes } from '../schema/processing.ts'
import { trackShareLinks } from '../schema/share-links.ts'
import { splitSheets } from '../schema/split-sheets.ts'
import { trackLyrics } from '../schema/track-lyrics.ts'
import { trackTags } from '../schema/track-tags.ts'
import { tracks, trackVersions } from '../schema/tracks.ts'
import { uploads } from '../schema/uploads.ts'
import { newestFirst, type PageRange, rangeValues } from './page-range.ts'

const exists = (table: SQLWrapper, ...conditions: readonly (SQL | undefined)[]) =>
  sql<boolean>`exists (select from ${table} where ${and(...conditions)})`

const hasPendingUpload = (kind: 'version' | 'artwork') =>
  exists(
    uploads,
    eq(uploads.trackId, tracks.id),
    eq(uploads.kind, kind),
    eq(uploads.status, 'pending'),
    sql`${uploads.expiresAt} > ${sql.placeholder('uploadsExpiredAt')}::timestamptz`,
  )

const isInSharedPack = exists(
  packTracks,
  eq(packTracks.trackId, tracks.id),
  or(
    exists(packLinks, eq(packLinks.packId, packTracks.packId)),
    exists(packInvitations, eq(packInvitations.packId, packTracks.packId)),
  ),
)

const isInSharedLibrary = exists(
  libraryTracks,
  eq(libraryTracks.trackId, tracks.id),
  exists(libraryShares, eq(libraryShares.libraryId, libraryTracks.libraryId)),
)

// Events remain when their link is deleted. Those without a link may be those of the owner.
const hasVisitors = exists(
  engagementLinks,
  eq(engagementLinks.subjectKind, 'track'),
  eq(engagementLinks.subjectId, tracks.id),
  ne(engagementLinks.linkId, ''),
)

// Comparing the text with the empty one does not read it, and most lyrics have a text.
const hasLyrics = and(
  eq(trackLyrics.status, 'ready'),
  or(ne(trackLyrics.text, ''), sql`${trackLyrics.lines} <> '[]'::jsonb`),
)

const isTranscribing = or(
  eq(trackLyrics.status, 'processing'),
  exists(
    processingLanes,
    eq(processingLanes.trackId, tracks.id),
    eq(processingLanes.lane, 'lyrics'),
    eq(processingLanes.status, 'processing'),
  ),
)

const hasInstrumentalTag = exists(
  trackTags,
  eq(trackTags.trackId, tracks.id),
  not(trackTags.hidden),
  sql`lower(${trackTags.value}) = 'instrumental'`,
)

const failedLanes = sql<
  string | null
>`(select string_agg(${processingLanes.lane}, ',' order by ${processingLanes.lane})
  from ${processingLanes}
  where ${and(eq(processingLanes.trackId, tracks.id), eq(processingLanes.status, 'failed'))})`

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
  hasArtwork: exists(
    mediaAssets,
    eq(mediaAssets.trackId, tracks.id),
    eq(mediaAssets.kind, 'artwork'),
    eq(mediaAssets.status, 'ready'),
  ),
  /** It is being uploaded or checked. */
  isArtworkPending: asFlag(
    or(
      exists(
        mediaAssets,
        eq(mediaAssets.trackId, tracks.id),
        eq(mediaAssets.kind, 'artwork'),
        eq(mediaAssets.status, 'processing'),
      ),
      hasPendingUpload('artwork'),
    ),
  ),
  hasLyrics: asFlag(hasLyrics),
  isTranscribing: asFlag(isTranscribing),
  /** The owner has removed the lyrics. */
  hasClearedLyrics: asFlag(and(trackLyrics.userEdited, eq(trackLyrics.status, 'none'))),
  hasInstrumentalTag,
  hasSplitSheet: asFlag(isNotNull(splitSheets.trackId)),
  hasAddress: asFlag(ne(splitSheets.address, '')),
  hasIntendedUse: asFlag(ne(splitSheets.intendedUse, '')),
  wasShared: asFlag(
    or(
      exists(trackShareLinks, eq(trackShareLinks.trackId, tracks.id)),
      isInSharedPack,
      isInSharedLibrary,
      hasVisitors,
    ),
  ),
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

/** Tracks of an account whose title, artist or compact ISRC contains a text, in any case. */
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
    .orderBy(...range.order)
    .limit(limit)
}
