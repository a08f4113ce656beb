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

// Tracks and versions share this file, because their tables refer to each other.
const processingStates = ['pending', 'processing', 'ready', 'failed'] as const

export const tracks = pgTable(
  'tracks',
  {
    id: id(),
    ownerId: text().notNull(),
    title: text().notNull(),
    artist: text().notNull(),
    /** As the owner entered it. Lookups compare the compact form. */
    isrc: text(),
    isrcCompact: text(),
    iswc: text(),
    iswcCompact: text(),
    releaseDate: date({ mode: 'string' }),
    durationMs: integer(),
    currentVersionId: text(),
    /** Highest version number ever assigned. Numbers of deleted versions are not reused. */
    lastVersionNumber: integer().notNull().default(0),
    /** 1 once there is a version: a foreign key that protects the original from deletion. */
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
    // Together, these ensure that a track with versions has a current and an original one, which cannot be deleted
    // alone.
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

/** References a row's track, with cascading deletes. */
export const trackId = () =>
  text()
    .notNull()
    .references((): AnyPgColumn => tracks.id, { onDelete: 'cascade' })

const versionStatuses = ['processing', 'ready', 'failed'] as const

/**
 * A track's audio versions. A version's file is its asset of kind `original`. The track's row names the current
 * version, and the first is always the original.
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
    // Foreign keys to a version include its track, so no row can refer to another track's version.
    unique('track_versions_of_track').on(table.id, table.trackId),
    check('track_versions_status', isOneOf(table.status, versionStatuses)),
    check('track_versions_number_from_one', sql`${table.versionNumber} >= 1`),
    check(
      'track_versions_measures',
      sql`${table.durationMs} >= 0 and ${table.sampleRate} > 0 and ${table.channels} > 0`,
    ),
  ],
)

/** A foreign key to a version of the same track, with cascading deletes. */
export const versionOfTrack = (
  name: string,
  table: { readonly versionId: AnyPgColumn; readonly trackId: AnyPgColumn },
) =>
  foreignKey({
    name,
    columns: [table.versionId, table.trackId],
    foreignColumns: [trackVersions.id, trackVersions.trackId],
  }).onDelete('cascade')
