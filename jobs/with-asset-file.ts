import { newId } from '#db/new-id.ts'
import {
  findMediaAsset,
  type MediaAssetRow,
  updateStorageKeyIfUnchanged,
} from '#db/queries/media/media-assets.ts'
import { cancelObjectRemoval, scheduleObjectRemoval } from '#db/queries/media/object-removals.ts'
import { findUploadByKey, type UploadRow } from '#db/queries/media/uploads.ts'
import { withLocalCopy } from './local-copy.ts'
import type { JobPorts } from './ports.ts'

type AssetPorts = Pick<JobPorts, 'db' | 'storage' | 'clock'>

// longer than the longest job that makes a copy
const uncommittedCopyTtlMs = 2 * 3_600_000

// Each attempt copies to its own key, so concurrent workers cannot overwrite bytes that another has checked. The copy's
// removal is scheduled before the copy is made and cancelled in the transaction that stores its key, so a crash leaves
// no orphan.
const copyUpload = async (
  { storageKey, uploadKey, byteSize }: UploadRow,
  { db, storage, clock }: AssetPorts,
  signal: AbortSignal,
) => {
  const copyKey = `${storageKey}/${newId()}`
  const removeAfter = new Date(clock.now().valueOf() + uncommittedCopyTtlMs).toISOString()
  await db.tx((tx) => scheduleObjectRemoval(tx, copyKey, removeAfter))
  await storage.copy(uploadKey, copyKey, signal)
  const copy = await storage.find(copyKey)
  if (copy?.byteSize !== byteSize)
    throw new Error(
      `the copy of an upload has ${copy?.byteSize ?? 0} bytes instead of the declared ${byteSize}`,
    )
  return copyKey
}

/**
 * Returns an asset's permanent storage key; null if the asset was deleted. Bytes at the upload key are copied first,
 * because the upload's signed URL stays valid for a while and a client could replace them after the check.
 */
const ensurePermanentKey = async (asset: MediaAssetRow, ports: AssetPorts, signal: AbortSignal) => {
  const upload = await findUploadByKey(ports.db.read, asset.storageKey)
  if (!upload) return asset.storageKey
  const copyKey = await copyUpload(upload, ports, signal)
  return ports.db.tx(async (tx) => {
    // Another worker has stored its copy, or the asset was deleted.
    if (!(await updateStorageKeyIfUnchanged(tx, asset.id, upload.uploadKey, copyKey)))
      return (await findMediaAsset(tx, asset.id))?.storageKey ?? null
    if (!(await cancelObjectRemoval(tx, copyKey)))
      throw new Error('the copy of an upload was removed before it was committed')
    await scheduleObjectRemoval(tx, upload.uploadKey, upload.expiresAt)
    return copyKey
  })
}

/**
 * Runs `work` on a local copy of an asset's bytes, which the uploader can no longer overwrite in the object store.
 * Returns null if the asset was deleted.
 */
export const withAssetFile = async <T>(
  asset: MediaAssetRow,
  ports: AssetPorts,
  signal: AbortSignal,
  work: (path: string) => Promise<T>,
): Promise<T | null> => {
  const storageKey = await ensurePermanentKey(asset, ports, signal)
  return storageKey === null ? null : withLocalCopy(storageKey, ports.storage, signal, work)
}
