import { v7 as uuidv7 } from 'uuid'
import { CoreError } from '../core-error.ts'
import type { Database, Queryable } from '../database.ts'
import { queueJob } from '../job-queue.ts'
import type { ObjectStorage } from '../object-storage.ts'
import { mediaTypeOf } from '../upload-input.ts'
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
  /** Where its copy lies: an asset has a folder of its own, and each copy in it a name. */
  readonly storageKey: string
  readonly overdue: boolean
}

/** Until this long after its address has run out an upload may still be finalized. */
const grace = '1 hour'

const lockUpload = async (tx: Queryable, trackId: string, uploadId: string | null) => {
  // The track first, as when it is removed with its uploads: the two cannot wait for one another.
  await tx`select 1 from tracks where id = ${trackId} for no key update`
  const [upload] = await tx<Upload[]>`
    select id, track_id, asset_id, version_id, kind, status, file_name, content_type, byte_size::float8 as byte_size,
      title, document_type, upload_key, storage_key || '/' || id as storage_key, expires_at + ${grace}::interval < now() as overdue
    from uploads where id = ${uploadId} and track_id = ${trackId} for update`
  if (!upload) throw new CoreError('upload_not_found')
  return upload
}

/**
 * Says, ahead of the copy, that it is of no use until a row refers to it: a crash in between leaves nothing behind.
 * Whoever finds the upload finalized must not say so of a copy that is in use, which the lock makes certain.
 */
export const announceCopy = (sql: Database, trackId: string, uploadId: string | null) =>
  sql.begin(async (tx) => {
    const { status, storageKey } = await lockUpload(tx, trackId, uploadId)
    if (status === 'pending')
      await tx`
        insert into object_removals (storage_key, remove_after) values (${storageKey}, now() + interval '1 hour')
        on conflict (storage_key) do update set remove_after = excluded.remove_after`
  })

/** The copy is in use from now on. What was uploaded is not, but may be put again while its address is good. */
const keepCopy = async (tx: Queryable, { id, storageKey }: Upload) => {
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
  if (mediaTypeOf(object.contentType) !== upload.contentType)
    throw new CoreError('upload_content_type_mismatch')
}

/** Copies the bytes out of their sender's reach: the signed address stays good and would let them be exchanged. */
const takeBytes = async (storage: ObjectStorage, upload: Upload) => {
  await requireDeclaredObject(storage, upload.uploadKey, upload)
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

const answerOf = ({ id, trackId, assetId, kind }: Upload, versionId: string | null) => ({
  uploadId: id,
  trackId,
  assetId,
  status: 'finalized',
  kind,
  ...(versionId !== null && { versionId }),
})

/**
 * Makes the asset, and the version if it is one, of an upload whose bytes are there as they were announced. The row
 * stays locked meanwhile, so that one of two at once does it and the other finds it done.
 */
export const finalizeUpload = async (
  tx: Queryable,
  storage: ObjectStorage,
  trackId: string,
  uploadId: string | null,
) => {
  const upload = await lockUpload(tx, trackId, uploadId)
  if (upload.status === 'finalized') return answerOf(upload, upload.versionId)
  if (upload.status !== 'pending' || upload.overdue) throw new CoreError('upload_expired')
  await takeBytes(storage, upload)
  const versionId = upload.kind === 'version' ? uuidv7() : null
  if (versionId !== null) await addVersion(tx, trackId, versionId)
  await addAsset(tx, upload, versionId)
  await keepCopy(tx, upload)
  await tx`
    update uploads set status = 'finalized', version_id = ${versionId}, finalized_at = now(), updated_at = now()
    where id = ${upload.id}`
  return answerOf(upload, versionId)
}
