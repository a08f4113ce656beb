import { type SQL, sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  boolean,
  check,
  foreignKey,
  integer,
  pgTable,
  text,
  unique,
} from 'drizzle-orm/pg-core'
import { id, oneOf, times } from './columns.ts'
import { tracks } from './tracks.ts'

const versionStatuses = ['processing', 'ready', 'failed'] as const

/**
 * The audio versions of a track. The file of a version is its asset of the kind `original`. The row of the track
 * names the current version. The first version is always the original one.
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
    ...times(),
  },
  (table) => [
    unique('track_versions_number').on(table.versionNumber, table.trackId),
    // Foreign keys to a version include its track, so that no row can refer to a version of another track.
    unique('track_versions_of_track').on(table.id, table.trackId),
    check('track_versions_status', oneOf(table.status, versionStatuses)),
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
