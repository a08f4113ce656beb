import { newId } from '#db/new-id.ts'
import { findMediaAsset, type MediaAssetRow, moveMediaAsset } from '#db/queries/media-assets.ts'
import { keepObject, scheduleObjectRemoval } from '#db/queries/object-removals.ts'
import { findUploadAt, type UploadRow } from '#db/queries/uploads.ts'
import { withLocalCopy } from './local-copy.ts'
import type { JobPorts } from './ports.ts'

type Ports = Pick<JobPorts, 'db' | 'storage' | 'clock'>

// Longer than any job that makes a copy lives.
const abandonedAfterMs = 2 * 3_600_000

// The copy is of its own maker alone: of two workers that copy at once neither can change what the other has judged.
// Until a row refers to it, it is listed for removal.
const copyUpload = async (
  { storageKey, uploadKey, byteSize }: UploadRow,
  { db, storage, clock }: Ports,
  signal: AbortSignal,
) => {
  const copy = `${storageKey}/${newId()}`
  const abandonedAt = new Date(clock.now().valueOf() + abandonedAfterMs).toISOString()
  await db.tx((tx) => scheduleObjectRemoval(tx, copy, abandonedAt))
  await storage.copy(uploadKey, copy, signal)
  const copied = await storage.find(copy)
  if (copied?.byteSize !== byteSize) throw new Error('an upload has changed its length')
  return copy
}

/**
 * Where the bytes of an asset lie for good. As long as they lie where they were uploaded, they are first copied out of
 * their sender's reach, for the signed address stays good for a while and must not be able to exchange bytes that have
 * been judged. Null when the asset is gone.
 */
const settledKeyOf = async (asset: MediaAssetRow, ports: Ports, signal: AbortSignal) => {
  const upload = await findUploadAt(ports.db.read, asset.storageKey)
  if (!upload) return asset.storageKey
  const copy = await copyUpload(upload, ports, signal)
  return ports.db.tx(async (tx) => {
    if (!(await moveMediaAsset(tx, asset.id, upload.uploadKey, copy)))
      return (await findMediaAsset(tx, asset.id))?.storageKey ?? null
    if (!(await keepObject(tx, copy))) throw new Error('a copy was removed before it was kept')
    await scheduleObjectRemoval(tx, upload.uploadKey, upload.expiresAt)
    return copy
  })
}

/** Lends `work` the bytes of an asset as a file, once nobody can exchange them; null when the asset is gone. */
export const withAssetBytes = async <T>(
  asset: MediaAssetRow,
  ports: Ports,
  signal: AbortSignal,
  work: (path: string) => Promise<T>,
): Promise<T | null> => {
  const storageKey = await settledKeyOf(asset, ports, signal)
  return storageKey === null ? null : withLocalCopy(storageKey, ports.storage, signal, work)
}
