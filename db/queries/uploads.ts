import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { requireRow } from '../client/require-row.ts'
import { uploads } from '../schema/uploads.ts'
import { statementTimestamp } from './statement-timestamp.ts'

/** How long an upload can be finalized after its URL has expired. */
const gracePeriodMs = 3_600_000

/** Returns the earliest URL expiry time of uploads that can still be finalized at `now`. */
export const getFinalizationCutoff = (now: Date) => new Date(now.valueOf() - gracePeriodMs).toISOString()

export type UploadRow = typeof uploads.$inferSelect
type NewUpload = typeof uploads.$inferInsert

export const insertUpload = async (tx: Queryable, upload: NewUpload) => {
  await tx.insert(uploads).values(upload)
}

const isUploadOf = (trackId: string, uploadId: string) =>
  and(eq(uploads.id, uploadId), eq(uploads.trackId, trackId))

export const findUploadOfTrack = async (db: Reader, trackId: string, uploadId: string) => {
  const [upload] = await db.select().from(uploads).where(isUploadOf(trackId, uploadId))
  return upload ?? null
}

/** Locks an upload until the transaction ends. */
export const lockUploadOfTrack = async (tx: Queryable, trackId: string, uploadId: string) => {
  const [upload] = await tx.select().from(uploads).where(isUploadOf(trackId, uploadId)).for('update')
  return upload ?? null
}

/** Returns the upload with this upload key, or null if there is none. */
export const findUploadByKey = async (db: Reader, uploadKey: string) => {
  const [upload] = await db.select().from(uploads).where(eq(uploads.uploadKey, uploadKey))
  return upload ?? null
}

/** Marks a locked upload as finalized. */
export const finalizeLockedUpload = async (tx: Queryable, uploadId: string, versionId: string | null) =>
  requireRow(
    await tx
      .update(uploads)
      .set({ versionId, status: 'finalized', finalizedAt: statementTimestamp, updatedAt: statementTimestamp })
      .where(eq(uploads.id, uploadId))
      .returning(),
  )

/** Expires up to `limit` pending uploads whose URL expired before this time. Skips uploads that are being finalized. */
export const expireUploads = async (tx: Queryable, before: string, limit: number) => {
  const overdue = tx
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(sql`${uploads.status} = 'pending'`, lt(uploads.expiresAt, before)))
    .orderBy(uploads.expiresAt)
    .limit(limit)
    .for('update', { skipLocked: true })
  return tx
    .update(uploads)
    .set({ status: 'expired', updatedAt: statementTimestamp })
    .where(inArray(uploads.id, overdue))
    .returning({ uploadKey: uploads.uploadKey })
}
