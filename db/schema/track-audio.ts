import { sql } from 'drizzle-orm'
import { check, customType, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { id, isOneOf, timestamp, timestamps } from './columns.ts'
import { assetForeignKey } from './media-assets.ts'
import { trackId, versionOfTrack } from './tracks.ts'

const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

export const trackPeaks = pgTable(
  'track_peaks',
  {
    versionId: text().primaryKey(),
    trackId: trackId(),
    assetId: text().notNull(),
    channels: integer().notNull(),
    sampleRate: integer().notNull(),
    samplesPerPixel: integer().notNull(),
    bits: integer().$type<8 | 16>().notNull(),
    length: integer().notNull(),
    /** Signed little-endian integers with `bits` bits each. For each pixel, the minimum and maximum of each channel. */
    data: bytes().notNull(),
    durationMs: integer().notNull(),
    createdAt: timestamp().notNull().default(sql`now()`),
  },
  (table) => [
    versionOfTrack('track_peaks_version_fk', table),
    assetForeignKey('track_peaks_asset_fk', table),
    check(
      'track_peaks_measures',
      sql`${table.channels} > 0 and ${table.sampleRate} > 0 and ${table.samplesPerPixel} > 0
        and ${table.bits} in (8, 16) and ${table.durationMs} >= 0`,
    ),
    check(
      'track_peaks_size',
      sql`octet_length(${table.data}) = ${table.length} * 2 * ${table.channels} * (${table.bits} / 8)`,
    ),
  ],
)

const stemSources = ['ai', 'upload'] as const

/** A track's stems. Separated stems belong to a version, uploaded ones to the track. */
export const trackStems = pgTable(
  'track_stems',
  {
    id: id(),
    trackId: trackId(),
    versionId: text(),
    assetId: text().notNull(),
    kind: text().notNull(),
    label: text().notNull(),
    durationMs: integer(),
    source: text({ enum: stemSources }).notNull(),
    ...timestamps(),
  },
  (table) => [
    versionOfTrack('track_stems_version_fk', table),
    assetForeignKey('track_stems_asset_fk', table),
    index('track_stems_track').on(table.trackId),
    check('track_stems_source', isOneOf(table.source, stemSources)),
    check('track_stems_version', sql`${table.source} = 'upload' or ${table.versionId} is not null`),
    check('track_stems_duration', sql`${table.durationMs} >= 0`),
  ],
)

export const trackEmbeddings = pgTable(
  'track_embeddings',
  {
    versionId: text().primaryKey(),
    trackId: trackId(),
    vector: jsonb().$type<readonly number[]>().notNull(),
    ...timestamps(),
  },
  (table) => [versionOfTrack('track_embeddings_version_fk', table)],
)
