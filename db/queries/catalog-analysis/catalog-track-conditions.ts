import { and, eq, ne, not, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { engagementLinks } from '../../schema/engagement.ts'
import { libraryShares, libraryTracks } from '../../schema/libraries.ts'
import { mediaAssets } from '../../schema/media-assets.ts'
import { packInvitations, packLinks, packTracks } from '../../schema/packs.ts'
import { processingLanes } from '../../schema/processing.ts'
import { trackShareLinks } from '../../schema/share-links.ts'
import { splitSheets } from '../../schema/split-sheets.ts'
import { trackLyrics } from '../../schema/track-lyrics.ts'
import { trackTags } from '../../schema/track-tags.ts'
import { tracks, trackVersions } from '../../schema/tracks.ts'
import { uploads } from '../../schema/uploads.ts'

// Conditions on a track's row. Each reads other tables by track, through an index. With joins, or an EXISTS that it
// rewrites as a join, the planner could read whole tables with every account's rows. Each condition starts with the
// check that settles it for most tracks.

// OFFSET 0 keeps the planner from rewriting the EXISTS.
const exists = (table: SQLWrapper, ...conditions: readonly (SQL | undefined)[]) =>
  sql<boolean>`exists (select from ${table} where ${and(...conditions)} offset 0)`

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

// Events are kept after their link is deleted. Events without a link may be the owner's own.
const hasVisitors = exists(
  engagementLinks,
  eq(engagementLinks.subjectKind, 'track'),
  eq(engagementLinks.subjectId, tracks.id),
  ne(engagementLinks.linkId, ''),
)

// Checks the text first, because most lyrics have one, and PostgreSQL can tell that it is not empty without reading it.
const hasLyrics = and(
  eq(trackLyrics.status, 'ready'),
  or(ne(trackLyrics.text, ''), sql`${trackLyrics.lines} <> '[]'::jsonb`),
)

/** The current version's status; `uploading` if the first version is still being uploaded; null without audio. */
export const audioStatus = sql<'uploading' | 'processing' | 'ready' | 'failed' | null>`coalesce(
  (select ${trackVersions.status} from ${trackVersions} where ${eq(trackVersions.id, tracks.currentVersionId)}),
  case when ${hasPendingUpload('version')} then 'uploading' end)`

/** The empty fields of the split sheet, separated by commas. Null without a sheet. */
export const emptySheetFields = sql<string | null>`(
  select concat_ws(',', case when ${eq(splitSheets.address, '')} then 'address' end,
    case when ${eq(splitSheets.intendedUse, '')} then 'intended use' end)
  from ${splitSheets} where ${eq(splitSheets.trackId, tracks.id)})`

const isAnalysingLyrics = exists(
  processingLanes,
  eq(processingLanes.trackId, tracks.id),
  eq(processingLanes.lane, 'lyrics'),
  eq(processingLanes.status, 'processing'),
)

const hasInstrumentalTag = exists(
  trackTags,
  eq(trackTags.trackId, tracks.id),
  not(trackTags.hidden),
  sql`lower(${trackTags.value}) = 'instrumental'`,
)

/** `cleared` means that the owner removed the lyrics. Null if lyrics are missing. */
export const lyricsState = sql<'present' | 'processing' | 'cleared' | 'instrumental' | null>`coalesce(
  (select case when ${hasLyrics} then 'present'
    when ${eq(trackLyrics.status, 'processing')} then 'processing'
    when ${and(trackLyrics.userEdited, eq(trackLyrics.status, 'none'))} then 'cleared' end
  from ${trackLyrics} where ${eq(trackLyrics.trackId, tracks.id)}),
  case when ${isAnalysingLyrics} then 'processing' when ${hasInstrumentalTag} then 'instrumental' end)`

export const failedLanes = sql<
  string | null
>`(select string_agg(${processingLanes.lane}, ',' order by ${processingLanes.lane})
  from ${processingLanes}
  where ${and(eq(processingLanes.trackId, tracks.id), eq(processingLanes.status, 'failed'))})`

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

/** `pending` means that artwork is being uploaded or checked. Null without artwork, or if every file was rejected. */
export const artworkState = sql<'ready' | 'pending' | null>`case
  when ${hasArtworkWithStatus('ready')} then 'ready'
  when ${or(hasArtworkWithStatus('processing'), hasPendingUpload('artwork'))} then 'pending' end`
