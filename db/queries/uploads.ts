import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { requireSingleRow } from '../client/single-row.ts'
import { uploads } from '../schema/uploads.ts'
import { changedNow } from './changed-now.ts'

/** Whoever put the last byte just in time has this long after the address expired to say so. */
const graceMs = 3_600_000

/** The moment since which an upload's address must have been good for it to be finalized at `now`. */
export const finalizableSince = (now: Date) => new Date(now.valueOf() - graceMs).toISOString()

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

/** The upload, kept from being finalized or expired by anybody else until the transaction ends. */
export const lockUploadOfTrack = async (tx: Queryable, trackId: string, uploadId: string) => {
  const [upload] = await tx.select().from(uploads).where(isUploadOf(trackId, uploadId)).for('update')
  return upload ?? null
}

/** The upload whose bytes were put at this key; null for a key that no upload's address reaches. */
export const findUploadAt = async (db: Reader, uploadKey: string) => {
  const [upload] = await db.select().from(uploads).where(eq(uploads.uploadKey, uploadKey))
  return upload ?? null
}

/** Ends a locked upload well. */
export const finalizeLockedUpload = async (tx: Queryable, uploadId: string, versionId: string | null) =>
  requireSingleRow(
    await tx
      .update(uploads)
      .set({ versionId, status: 'finalized', finalizedAt: changedNow, updatedAt: changedNow })
      .where(eq(uploads.id, uploadId))
      .returning(),
  )

/** Expires up to `limit` uploads that were to be finalized before this moment and that nobody is finalizing. */
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
    .set({ status: 'expired', updatedAt: changedNow })
    .where(inArray(uploads.id, overdue))
    .returning({ uploadKey: uploads.uploadKey })
}
