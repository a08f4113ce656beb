import { and, eq, ne, not, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { engagementLinks } from '../schema/engagement-rollups.ts'
import { libraryShares, libraryTracks } from '../schema/libraries.ts'
import { mediaAssets } from '../schema/media-assets.ts'
import { packInvitations, packLinks, packTracks } from '../schema/packs.ts'
import { processingLanes } from '../schema/processing.ts'
import { trackShareLinks } from '../schema/share-links.ts'
import { trackLyrics } from '../schema/track-lyrics.ts'
import { trackTags } from '../schema/track-tags.ts'
import { tracks } from '../schema/tracks.ts'
import { uploads } from '../schema/uploads.ts'

// Conditions on the row of a track and, for lyrics, on the row that is joined with it.

const exists = (table: SQLWrapper, ...conditions: readonly (SQL | undefined)[]) =>
  sql<boolean>`exists (select from ${table} where ${and(...conditions)})`

export const hasPendingUpload = (kind: 'version' | 'artwork') =>
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
export const hasLyrics = and(
  eq(trackLyrics.status, 'ready'),
  or(ne(trackLyrics.text, ''), sql`${trackLyrics.lines} <> '[]'::jsonb`),
)

export const isTranscribing = or(
  eq(trackLyrics.status, 'processing'),
  exists(
    processingLanes,
    eq(processingLanes.trackId, tracks.id),
    eq(processingLanes.lane, 'lyrics'),
    eq(processingLanes.status, 'processing'),
  ),
)

export const hasInstrumentalTag = exists(
  trackTags,
  eq(trackTags.trackId, tracks.id),
  not(trackTags.hidden),
  sql`lower(${trackTags.value}) = 'instrumental'`,
)

export const failedLanes = sql<
  string | null
>`(select string_agg(${processingLanes.lane}, ',' order by ${processingLanes.lane})
  from ${processingLanes}
  where ${and(eq(processingLanes.trackId, tracks.id), eq(processingLanes.status, 'failed'))})`

/** The track was shared, be it by links or shares that have ended. */
export const wasShared = or(
  exists(trackShareLinks, eq(trackShareLinks.trackId, tracks.id)),
  isInSharedPack,
  isInSharedLibrary,
  hasVisitors,
)

const hasArtworkWithStatus = (status: 'ready' | 'processing') =>
  exists(
    mediaAssets,
    eq(mediaAssets.trackId, tracks.id),
    eq(mediaAssets.kind, 'artwork'),
    eq(mediaAssets.status, status),
  )

export const hasArtwork = hasArtworkWithStatus('ready')

/** It is being uploaded or checked. */
export const isArtworkPending = or(hasArtworkWithStatus('processing'), hasPendingUpload('artwork'))
