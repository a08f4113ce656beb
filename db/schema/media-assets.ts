import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { flag, id, isOneOf, timestamp, timestamps } from './columns.ts'
import { trackId, versionOfTrack } from './tracks.ts'

const assetKinds = ['original', 'playback', 'waveform', 'stem', 'artwork', 'document'] as const
const assetStatuses = ['processing', 'ready', 'failed'] as const

export const documentTypes = [
  'contract',
  'license',
  'split_sheet',
  'cue_sheet',
  'lyric_sheet',
  'other',
] as const

/** A track's files. Each row refers to one stored object, and is inserted once the object's bytes are uploaded. */
export const mediaAssets = pgTable(
  'media_assets',
  {
    id: id(),
    trackId: trackId(),
    /** The version that the file belongs to or was made from; null for artwork, documents and uploaded stems. */
    versionId: text(),
    kind: text({ enum: assetKinds }).notNull(),
    status: text({ enum: assetStatuses }).notNull().default('processing'),
    fileName: text().notNull(),
    contentType: text().notNull(),
    byteSize: bigint({ mode: 'number' }),
    storageKey: text().notNull().unique('media_assets_storage_key'),
    width: integer(),
    height: integer(),
    documentType: text({ enum: documentTypes }),
    title: text(),
    isPrimary: flag(),
    ...timestamps(),
  },
  (table) => [
    unique('media_assets_of_track').on(table.id, table.trackId),
    versionOfTrack('media_assets_version_fk', table),
    uniqueIndex('media_assets_original_of_version')
      .on(table.versionId)
      .where(sql`${table.kind} = 'original'`),
    uniqueIndex('media_assets_primary_artwork').on(table.trackId).where(sql`${table.isPrimary}`),
    index('media_assets_newest_first').on(table.trackId, table.createdAt, table.id),
    check('media_assets_kind', isOneOf(table.kind, assetKinds)),
    check('media_assets_status', isOneOf(table.status, assetStatuses)),
    check('media_assets_document_type', isOneOf(table.documentType, documentTypes)),
    check(
      'media_assets_document',
      sql`${table.kind} = 'document' or (${table.documentType} is null and ${table.title} is null)`,
    ),
    check(
      'media_assets_primary',
      sql`not ${table.isPrimary} or (${table.kind} = 'artwork' and ${table.status} = 'ready')`,
    ),
    check(
      'media_assets_version',
      sql`case when ${table.kind} in ('original', 'playback', 'waveform') then ${table.versionId} is not null
        when ${table.kind} in ('artwork', 'document') then ${table.versionId} is null
        else true end`,
    ),
    check(
      'media_assets_measures',
      sql`${table.byteSize} >= 0 and ${table.width} >= 0 and ${table.height} >= 0
        and (${table.byteSize} is not null or ${table.kind} not in ('artwork', 'document'))`,
    ),
  ],
)

export const assetForeignKey = (
  name: string,
  table: { readonly assetId: AnyPgColumn; readonly trackId: AnyPgColumn },
) =>
  foreignKey({
    name,
    columns: [table.assetId, table.trackId],
    foreignColumns: [mediaAssets.id, mediaAssets.trackId],
  }).onDelete('cascade')

/**
 * Stored objects to remove. When a row is deleted, a trigger lists its object here. A copy is listed before it is made,
 * and stays listed until a row that refers to it is committed, so a crash leaves no orphan.
 */
export const objectRemovals = pgTable(
  'object_removals',
  {
    storageKey: text().primaryKey(),
    removeAfter: timestamp().notNull(),
  },
  (table) => [index('object_removals_due').on(table.removeAfter)],
)
