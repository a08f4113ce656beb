import { and, count, eq, gte, inArray, lt, sql, sum } from 'drizzle-orm'
import type { NewRow, Queryable, Reader } from '../../client/connection.ts'
import { firstRow, requireRow } from '../../client/drizzle.ts'
import { tracks } from '../../schema/tracks.ts'
import { uploads } from '../../schema/uploads.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

/** How long an upload can be finalized after its URL has expired. */
const gracePeriodMs = 3_600_000

export const getFinalizationCutoff = (now: Date) => new Date(now.valueOf() - gracePeriodMs).toISOString()

export type UploadRow = typeof uploads.$inferSelect

export const insertUpload = async (tx: Queryable, upload: NewRow<typeof uploads>) => {
  await tx.insert(uploads).values(upload)
}

// A literal instead of a parameter, so that plans can use the partial index.
const isPendingSince = (cutoff: string) =>
  and(sql`${uploads.status} = 'pending'`, gte(uploads.expiresAt, cutoff))

export const countPendingUploadsOfTrack = async (
  db: Reader,
  trackId: string,
  kind: UploadRow['kind'],
  cutoff: string,
) => {
  const [pending] = await db
    .select({ count: count() })
    .from(uploads)
    .where(and(eq(uploads.trackId, trackId), eq(uploads.kind, kind), isPendingSince(cutoff)))
  return pending?.count ?? 0
}

export const sumPendingUploadBytesOfOwner = async (db: Reader, ownerId: string, cutoff: string) => {
  const [pending] = await db
    .select({ bytes: sum(uploads.byteSize).mapWith(Number) })
    .from(uploads)
    .innerJoin(tracks, eq(tracks.id, uploads.trackId))
    .where(and(eq(tracks.ownerId, ownerId), isPendingSince(cutoff)))
  return pending?.bytes ?? 0
}

const isUploadOf = (trackId: string, uploadId: string) =>
  and(eq(uploads.id, uploadId), eq(uploads.trackId, trackId))

export const findUploadOfTrack = async (db: Reader, trackId: string, uploadId: string) =>
  firstRow(await db.select().from(uploads).where(isUploadOf(trackId, uploadId)))

export const lockUploadOfTrack = async (tx: Queryable, trackId: string, uploadId: string) =>
  firstRow(await tx.select().from(uploads).where(isUploadOf(trackId, uploadId)).for('update'))

export const findUploadByKey = async (db: Reader, uploadKey: string) =>
  firstRow(await db.select().from(uploads).where(eq(uploads.uploadKey, uploadKey)))

export const finalizeLockedUpload = async (tx: Queryable, uploadId: string, versionId: string | null) =>
  requireRow(
    await tx
      .update(uploads)
      .set({ versionId, status: 'finalized', finalizedAt: statementTimestamp, updatedAt: statementTimestamp })
      .where(eq(uploads.id, uploadId))
      .returning(),
  )

/** Skips uploads that are being finalized. */
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
