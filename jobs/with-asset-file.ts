import { newId } from '#db/new-id.ts'
import { findMediaAsset, type MediaAssetRow, updateStorageKeyIfUnchanged } from '#db/queries/media-assets.ts'
import { cancelObjectRemoval, scheduleObjectRemoval } from '#db/queries/object-removals.ts'
import { findUploadByKey, type UploadRow } from '#db/queries/uploads.ts'
import { withLocalCopy } from './local-copy.ts'
import type { JobPorts } from './ports.ts'

type AssetPorts = Pick<JobPorts, 'db' | 'storage' | 'clock'>

// Longer than the longest job that makes a copy.
const abandonedAfterMs = 2 * 3_600_000

// Each attempt copies to its own key, so that of two concurrent workers neither can overwrite bytes that the other has
// already checked. The copy is scheduled for removal until a row refers to it.
const copyUpload = async (
  { storageKey, uploadKey, byteSize }: UploadRow,
  { db, storage, clock }: AssetPorts,
  signal: AbortSignal,
) => {
  const copy = `${storageKey}/${newId()}`
  const abandonedAt = new Date(clock.now().valueOf() + abandonedAfterMs).toISOString()
  await db.tx((tx) => scheduleObjectRemoval(tx, copy, abandonedAt))
  await storage.copy(uploadKey, copy, signal)
  const copied = await storage.find(copy)
  if (copied?.byteSize !== byteSize) throw new Error('the copy of an upload differs from its declared length')
  return copy
}

/**
 * Returns the permanent storage key of an asset, or null when the asset was deleted. Bytes at the upload key are copied
 * first: the signed upload URL stays valid for a while, and its holder could replace bytes that were already checked.
 */
const resolveStorageKey = async (asset: MediaAssetRow, ports: AssetPorts, signal: AbortSignal) => {
  const upload = await findUploadByKey(ports.db.read, asset.storageKey)
  if (!upload) return asset.storageKey
  const copy = await copyUpload(upload, ports, signal)
  return ports.db.tx(async (tx) => {
    if (!(await updateStorageKeyIfUnchanged(tx, asset.id, upload.uploadKey, copy)))
      return (await findMediaAsset(tx, asset.id))?.storageKey ?? null
    if (!(await cancelObjectRemoval(tx, copy)))
      throw new Error('the copy of an upload was removed before it was committed')
    await scheduleObjectRemoval(tx, upload.uploadKey, upload.expiresAt)
    return copy
  })
}

/**
 * Runs `work` on a local file with the bytes of an asset, once its uploader can no longer replace them. Returns null
 * when the asset was deleted.
 */
export const withAssetFile = async <T>(
  asset: MediaAssetRow,
  ports: AssetPorts,
  signal: AbortSignal,
  work: (path: string) => Promise<T>,
): Promise<T | null> => {
  const storageKey = await resolveStorageKey(asset, ports, signal)
  return storageKey === null ? null : withLocalCopy(storageKey, ports.storage, signal, work)
}
