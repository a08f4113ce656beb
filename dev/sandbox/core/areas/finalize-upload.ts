import { v7 as uuidv7 } from 'uuid'
import { CoreError } from '../core-error.ts'
import type { CoreParts } from '../create-app.ts'
import type { Database, Queryable } from '../database.ts'
import { queueJob } from '../job-queue.ts'
import type { ObjectStorage } from '../object-storage.ts'
import { requireFinalizeQuota } from '../quotas.ts'
import { normalizeMediaType } from '../upload-input.ts'
import { addVersion } from './version-changes.ts'

interface Upload {
  readonly id: string
  readonly trackId: string
  readonly assetId: string
  readonly versionId: string | null
  readonly kind: 'version' | 'artwork' | 'document'
  readonly status: 'pending' | 'finalized' | 'expired' | 'failed'
  readonly fileName: string
  readonly contentType: string
  readonly byteSize: number
  readonly title: string | null
  readonly documentType: string | null
  readonly uploadKey: string
  readonly storageKey: string
  readonly isOverdue: boolean
}

/** How long after its URL expires an upload may still be finalized. */
const gracePeriod = '1 hour'

const lockUpload = async (tx: Queryable, trackId: string, uploadId: string | null) => {
  // Locks the track first, in the same order as a track's removal, to prevent deadlocks.
  await tx`select 1 from tracks where id = ${trackId} for no key update`
  const [upload] = await tx<Upload[]>`
    select id, track_id, asset_id, version_id, kind, status, file_name, content_type, byte_size::float8 as byte_size,
      title, document_type, upload_key, storage_key || '/' || id as storage_key,
      expires_at + ${gracePeriod}::interval < now() as is_overdue
    from uploads where id = ${uploadId} and track_id = ${trackId} for update`
  if (!upload) throw new CoreError('upload_not_found')
  return upload
}

/**
 * Schedules the copy's removal before making the copy, so that a crash before the commit leaves no orphan. The lock
 * keeps a concurrent request from scheduling the removal of a finalized upload's copy.
 */
export const scheduleCopyRemoval = (sql: Database, trackId: string, uploadId: string | null) =>
  sql.begin(async (tx) => {
    const { status, storageKey } = await lockUpload(tx, trackId, uploadId)
    if (status === 'pending')
      await tx`
        insert into object_removals (storage_key, remove_after) values (${storageKey}, now() + interval '1 hour')
        on conflict (storage_key) do update set remove_after = excluded.remove_after`
  })

/**
 * Cancels the copy's removal. Schedules the removal of the uploaded object for after its URL expires, because a client
 * can upload it again until then.
 */
const retainCopy = async (tx: Queryable, { id, storageKey }: Upload) => {
  await tx`delete from object_removals where storage_key = ${storageKey}`
  await tx`
    insert into object_removals (storage_key, remove_after)
    select upload_key, greatest(now(), expires_at) + interval '1 minute' from uploads where id = ${id}
    on conflict (storage_key) do update set remove_after = excluded.remove_after`
}

const requireDeclaredObject = async (storage: ObjectStorage, key: string, upload: Upload) => {
  const object = await storage.find(key)
  if (!object) throw new CoreError('upload_object_missing')
  if (object.byteSize !== upload.byteSize) throw new CoreError('upload_size_mismatch')
  if (normalizeMediaType(object.contentType) !== upload.contentType)
    throw new CoreError('upload_content_type_mismatch')
}

/**
 * Copies the object to a key that the client cannot write to. The presigned URL stays valid, so the client could
 * otherwise replace the bytes.
 */
const copyBytes = async (storage: ObjectStorage, upload: Upload) => {
  await storage.copy(upload.uploadKey, upload.storageKey)
  await requireDeclaredObject(storage, upload.storageKey, upload)
}

const addAsset = async (tx: Queryable, upload: Upload, versionId: string | null) => {
  const { assetId, trackId, kind, fileName, contentType, byteSize, storageKey, title, documentType } = upload
  await tx`
    insert into media_assets ${tx({
      id: assetId,
      trackId,
      versionId,
      kind: kind === 'version' ? 'original' : kind,
      fileName,
      contentType,
      byteSize,
      storageKey,
      title,
      documentType,
    })}`
  if (kind !== 'version') await queueJob(tx, { queue: 'check-asset', assetId })
}

const toResponse = ({ id, trackId, assetId, kind }: Upload, versionId: string | null) => ({
  uploadId: id,
  trackId,
  assetId,
  status: 'finalized',
  kind,
  ...(versionId !== null && { versionId }),
})

/**
 * Creates the asset for an upload whose object has the declared size and type, and for audio also the version. The
 * upload's row stays locked, so only one of several concurrent requests creates them.
 */
export const finalizeUpload = async (
  tx: Queryable,
  { storage, settings }: CoreParts,
  trackId: string,
  uploadId: string | null,
) => {
  const upload = await lockUpload(tx, trackId, uploadId)
  if (upload.status === 'finalized') return toResponse(upload, upload.versionId)
  if (upload.status !== 'pending' || upload.isOverdue) throw new CoreError('upload_expired')
  await requireDeclaredObject(storage, upload.uploadKey, upload)
  await requireFinalizeQuota(tx, trackId, upload.kind, settings)
  await copyBytes(storage, upload)
  const versionId = upload.kind === 'version' ? uuidv7() : null
  if (versionId !== null) await addVersion(tx, trackId, versionId)
  await addAsset(tx, upload, versionId)
  await retainCopy(tx, upload)
  await tx`
    update uploads set status = 'finalized', version_id = ${versionId}, finalized_at = now(), updated_at = now()
    where id = ${upload.id}`
  return toResponse(upload, versionId)
}
