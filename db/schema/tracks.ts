import { type SQL, sql } from 'drizzle-orm'
import { type AnyPgColumn, check, date, foreignKey, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { id, oneOf, times } from './columns.ts'
import { trackVersions } from './track-versions.ts'

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
    /** The highest version number ever assigned. Numbers of deleted versions are not reused. */
    lastVersionNumber: integer().notNull().default(0),
    /** 1 once there is a version: the foreign key that protects the original from deletion. */
    originalVersionNumber: integer().generatedAlwaysAs(
      (): SQL => sql`case when ${tracks.lastVersionNumber} > 0 then 1 end`,
    ),
    processingState: text({ enum: processingStates }).notNull().default('pending'),
    ...times(),
  },
  (table) => [
    index('tracks_newest_first').on(table.ownerId, table.createdAt, table.id),
    index('tracks_isrc').on(table.ownerId, table.isrcCompact).where(sql`${table.isrcCompact} is not null`),
    index('tracks_iswc').on(table.ownerId, table.iswcCompact).where(sql`${table.iswcCompact} is not null`),
    check('tracks_processing_state', oneOf(table.processingState, processingStates)),
    check('tracks_duration', sql`${table.durationMs} >= 0`),
    check('tracks_isrc_compact', sql`(${table.isrc} is null) = (${table.isrcCompact} is null)`),
    check('tracks_iswc_compact', sql`(${table.iswc} is null) = (${table.iswcCompact} is null)`),
    // Together, these ensure that a track with versions has a current and an original version, which cannot be
    // deleted alone.
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

/** A reference to the track of a row, with cascading deletes. */
export const trackId = () =>
  text()
    .notNull()
    .references((): AnyPgColumn => tracks.id, { onDelete: 'cascade' })
