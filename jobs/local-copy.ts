import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { newId } from '#db/new-id.ts'
import {
  findMediaAsset,
  type MediaAssetRow,
  updateStorageKeyIfUnchanged,
} from '#db/queries/media/media-assets.ts'
import { cancelObjectRemoval, scheduleObjectRemoval } from '#db/queries/media/object-removals.ts'
import { findUploadByKey, type UploadRow } from '#db/queries/media/uploads.ts'
import type { StoragePort } from '#native-routes/ports.ts'
import { isSystemError } from './analysis/system-error.ts'
import type { JobPorts } from './ports.ts'
import { RetryLaterError } from './retry-later-error.ts'
import { withTemporaryFile } from './temporary-files.ts'

const downloadUrlTtlS = 3600

// Only the store's `NoSuchKey` means that the object does not exist. Any other 404, even for a missing bucket, means
// that something is wrong with the store.
const requireObject = async (storageKey: string, response: Response) => {
  if (response.ok) return
  const message = `object ${storageKey}: GET returned ${response.status}`
  if (response.status === 404 && (await response.text()).includes('<Code>NoSuchKey</Code>'))
    throw new Error(message)
  throw new RetryLaterError('storage_unavailable', message)
}

const decodedByFetch = /\b(?:gzip|deflate|br|zstd)\b/i

// An uploader can store an object with a content encoding. `fetch` would decode it, and a few megabytes would fill the
// disk.
const requireNoEncoding = async (storageKey: string, { headers, body }: Response) => {
  const encoding = headers.get('content-encoding') ?? ''
  if (!decodedByFetch.test(encoding)) return
  await body?.cancel().catch(() => undefined)
  throw new Error(`object ${storageKey}: GET returned the content encoding ${encoding}`)
}

// The URL is trusted: it was signed for this deployment's object store.
const downloadObject = async (storageKey: string, url: string, path: string, signal: AbortSignal) => {
  try {
    const headers = { 'accept-encoding': 'identity' }
    const response = await fetch(url, { headers, signal, redirect: 'error' })
    await requireObject(storageKey, response)
    await requireNoEncoding(storageKey, response)
    if (!response.body) throw new Error(`object ${storageKey}: GET returned no body`)
    await pipeline(response.body, createWriteStream(path), { signal })
  } catch (cause) {
    // A failed request and a truncated body are TypeErrors. Disk errors are not.
    if (!(cause instanceof TypeError) || isSystemError(cause.cause)) throw cause
    throw new RetryLaterError('storage_unavailable', `object ${storageKey}: GET failed`, { cause })
  }
}

export const withLocalCopy = async <T>(
  storageKey: string,
  storage: StoragePort,
  signal: AbortSignal,
  work: (path: string) => Promise<T>,
): Promise<T> => {
  const { url } = await storage.presignGet(storageKey, { expiresInS: downloadUrlTtlS })
  return withTemporaryFile(async (path) => {
    await downloadObject(storageKey, url, path, signal)
    return work(path)
  })
}

type AssetPorts = Pick<JobPorts, 'db' | 'storage' | 'clock'>

// How long a PUT that began before its URL expired may take.
const lastPutMs = 60_000
// longer than the longest job that makes a copy
const uncommittedCopyTtlMs = 2 * 3_600_000

// Each attempt copies to its own key, so concurrent workers cannot overwrite bytes that another has checked. The copy's
// removal is scheduled before the copy is made and cancelled in the transaction that stores its key, so a crash leaves
// no orphan.
const copyUpload = async (
  { storageKey, uploadKey, byteSize, contentType }: UploadRow,
  { db, storage, clock }: AssetPorts,
  signal: AbortSignal,
) => {
  const copyKey = `${storageKey}/${newId()}`
  const removeAfter = new Date(clock.now().valueOf() + uncommittedCopyTtlMs).toISOString()
  await db.tx((tx) => scheduleObjectRemoval(tx, copyKey, removeAfter))
  await storage.copy(uploadKey, copyKey, contentType, signal)
  const copy = await storage.find(copyKey)
  if (copy?.byteSize !== byteSize)
    throw new Error(
      `the copy of an upload has ${copy?.byteSize ?? 0} bytes instead of the declared ${byteSize}`,
    )
  return copyKey
}

/**
 * Returns null if the asset was deleted. Bytes at the upload key are copied first, because the upload's signed URL
 * stays valid for a while and a client could replace them after the check.
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
    const lastPutAt = Math.max(Date.parse(upload.expiresAt), ports.clock.now().valueOf())
    await scheduleObjectRemoval(tx, upload.uploadKey, new Date(lastPutAt + lastPutMs).toISOString())
    return copyKey
  })
}

/** Returns null if the asset was deleted. */
export const withAssetFile = async <T>(
  asset: MediaAssetRow,
  ports: AssetPorts,
  signal: AbortSignal,
  work: (path: string) => Promise<T>,
): Promise<T | null> => {
  const storageKey = await ensurePermanentKey(asset, ports, signal)
  return storageKey === null ? null : withLocalCopy(storageKey, ports.storage, signal, work)
}
