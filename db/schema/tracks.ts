import { type SQL, sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  pgTable,
  text,
  unique,
} from 'drizzle-orm/pg-core'
import { id, isOneOf, timestamps } from './columns.ts'

// Tracks and versions are in one file, because their tables refer to each other.
const processingStates = ['pending', 'processing', 'ready', 'failed'] as const

export const tracks = pgTable(
  'tracks',
  {
    id: id(),
    ownerId: text().notNull(),
    title: text().notNull(),
    artist: text().notNull(),
    /** The code as the owner entered it. Look-ups compare the compact form. */
    isrc: text(),
    isrcCompact: text(),
    iswc: text(),
    iswcCompact: text(),
    releaseDate: date({ mode: 'string' }),
    durationMs: integer(),
    currentVersionId: text(),
    /** The highest version number ever assigned. The numbers of deleted versions are not used again. */
    lastVersionNumber: integer().notNull().default(0),
    /** 1 once there is a version. Part of a foreign key that keeps the original from being deleted. */
    originalVersionNumber: integer().generatedAlwaysAs(
      (): SQL => sql`case when ${tracks.lastVersionNumber} > 0 then 1 end`,
    ),
    processingState: text({ enum: processingStates }).notNull().default('pending'),
    ...timestamps(),
  },
  (table) => [
    index('tracks_newest_first').on(table.ownerId, table.createdAt, table.id),
    index('tracks_isrc').on(table.ownerId, table.isrcCompact).where(sql`${table.isrcCompact} is not null`),
    index('tracks_iswc').on(table.ownerId, table.iswcCompact).where(sql`${table.iswcCompact} is not null`),
    check('tracks_processing_state', isOneOf(table.processingState, processingStates)),
    check('tracks_duration', sql`${table.durationMs} >= 0`),
    check('tracks_isrc_compact', sql`(${table.isrc} is null) = (${table.isrcCompact} is null)`),
    check('tracks_iswc_compact', sql`(${table.iswc} is null) = (${table.iswcCompact} is null)`),
    // Together, these constraints ensure that a track with versions has a current version and an original, and that
    // neither can be deleted alone.
    check(
      'tracks_one_current_version',
      sql`(${table.lastVersionNumber} = 0) = (${table.currentVersionId} is null)`,
    ),
    foreignKey({
      name: 'tracks_current_version_fk',
      columns: [table.currentVersionId, table.id],
      foreignColumns: [trackVersions.id, trackVersions.trackId],
    }),
    foreignKey({
      name: 'tracks_original_version_fk',
      columns: [table.originalVersionNumber, table.id],
      foreignColumns: [trackVersions.versionNumber, trackVersions.trackId],
    }),
  ],
)

export const trackId = () =>
  text()
    .notNull()
    .references((): AnyPgColumn => tracks.id, { onDelete: 'cascade' })

const versionStatuses = ['processing', 'ready', 'failed'] as const

/**
 * A track's audio versions. The file of a version is its asset of kind `original`. The track's row names the current
 * version, and the first version is always the original.
 */
export const trackVersions = pgTable(
  'track_versions',
  {
    id: id(),
    trackId: text()
      .notNull()
      .references((): AnyPgColumn => tracks.id, { onDelete: 'cascade' }),
    versionNumber: integer().notNull(),
    isOriginal: boolean()
      .notNull()
      .generatedAlwaysAs((): SQL => sql`${trackVersions.versionNumber} = 1`),
    label: text(),
    status: text({ enum: versionStatuses }).notNull().default('processing'),
    durationMs: integer(),
    sampleRate: integer(),
    channels: integer(),
    ...timestamps(),
  },
  (table) => [
    unique('track_versions_number').on(table.versionNumber, table.trackId),
    // A foreign key to a version includes the track, so that no row can refer to another track's version.
    unique('track_versions_of_track').on(table.id, table.trackId),
    check('track_versions_status', isOneOf(table.status, versionStatuses)),
    check('track_versions_number_from_one', sql`${table.versionNumber} >= 1`),
    check(
      'track_versions_measures',
      sql`${table.durationMs} >= 0 and ${table.sampleRate} > 0 and ${table.channels} > 0`,
    ),
  ],
)

export const versionOfTrack = (
  name: string,
  table: { readonly versionId: AnyPgColumn; readonly trackId: AnyPgColumn },
) =>
  foreignKey({
    name,
    columns: [table.versionId, table.trackId],
    foreignColumns: [trackVersions.id, trackVersions.trackId],
  }).onDelete('cascade')
