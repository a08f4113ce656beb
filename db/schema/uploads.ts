import { sql } from 'drizzle-orm'
import { bigint, check, index, pgTable, text } from 'drizzle-orm/pg-core'
import { id, isOneOf, timestamp, timestamps } from './columns.ts'
import { documentTypes } from './media-assets.ts'
import { trackId } from './tracks.ts'

const uploadKinds = ['version', 'artwork', 'document'] as const
const uploadStatuses = ['pending', 'finalized', 'expired', 'failed'] as const

/**
 * Upload intents. Finalizing an upload inserts the asset and, for audio, the version. Their ids stay here after they
 * are deleted, so that finalizing again returns the same response.
 */
export const uploads = pgTable(
  'uploads',
  {
    id: id(),
    trackId: trackId(),
    kind: text({ enum: uploadKinds }).notNull(),
    status: text({ enum: uploadStatuses }).notNull().default('pending'),
    fileName: text().notNull(),
    contentType: text().notNull(),
    byteSize: bigint({ mode: 'number' }).notNull(),
    title: text(),
    documentType: text({ enum: documentTypes }),
    /**
     * The key that the client uploads to. Its signed URL remains valid for a while after the bytes have been checked.
     */
    uploadKey: text().notNull().unique('uploads_upload_key'),
    /** Prefix of the keys that the bytes are copied to after finalization. Clients cannot write there. */
    storageKey: text().notNull().unique('uploads_storage_key'),
    assetId: text().notNull().unique('uploads_asset'),
    versionId: text(),
    expiresAt: timestamp().notNull(),
    finalizedAt: timestamp(),
    ...timestamps(),
  },
  (table) => [
    index('uploads_track').on(table.trackId),
    index('uploads_pending_by_expiry').on(table.expiresAt).where(sql`${table.status} = 'pending'`),
    check('uploads_kind', isOneOf(table.kind, uploadKinds)),
    check('uploads_status', isOneOf(table.status, uploadStatuses)),
    check('uploads_document_type', isOneOf(table.documentType, documentTypes)),
    check('uploads_byte_size', sql`${table.byteSize} >= 1`),
    check('uploads_finalized', sql`(${table.status} = 'finalized') = (${table.finalizedAt} is not null)`),
    check(
      'uploads_version',
      sql`(${table.status} = 'finalized' and ${table.kind} = 'version') = (${table.versionId} is not null)`,
    ),
  ],
)
