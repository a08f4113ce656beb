import { ApiError } from '#contracts/errors.ts'
import type { Queryable } from '#db/connection.ts'
import { insertJob } from '#db/queries/jobs.ts'
import { insertMediaAsset } from '#db/queries/media-assets.ts'
import { keepObject, scheduleObjectRemoval } from '#db/queries/object-removals.ts'
import { insertTrackVersion } from '#db/queries/track-versions.ts'
import type { OwnedTrack } from '#db/queries/tracks.ts'
import { finalizeLockedUpload, lockUploadOfTrack, type UploadRow } from '#db/queries/uploads.ts'
import { requireLockedTrack } from './require-locked-track.ts'
import { startProcessing } from './start-processing.ts'

const insertFileOf = (tx: Queryable, upload: UploadRow, storageKey: string, versionId: string | null) =>
  insertMediaAsset(tx, {
    id: upload.assetId,
    trackId: upload.trackId,
    versionId,
    kind: upload.kind === 'version' ? 'original' : upload.kind,
    fileName: upload.fileName,
    contentType: upload.contentType,
    byteSize: upload.byteSize,
    storageKey,
    title: upload.title,
    documentType: upload.documentType,
  })

const acceptVersion = async (tx: Queryable, track: OwnedTrack, upload: UploadRow, storageKey: string) => {
  const version = await insertTrackVersion(tx, track)
  await insertFileOf(tx, upload, storageKey, version.id)
  await startProcessing(tx, { trackId: track.id, versionId: version.id }, 'upload', version.isCurrent)
  return version.id
}

const acceptAsset = async (tx: Queryable, upload: UploadRow, storageKey: string) => {
  await insertFileOf(tx, upload, storageKey, null)
  await insertJob(tx, { queue: 'check-asset', assetId: upload.assetId })
  return null
}

/**
 * Makes the version or asset of an upload whose checked bytes are at `storageKey`, and what is to be done with it
 * next, all at once. Of several requests that finalize one upload the first is answered by this; the others find it
 * finalized, and their copies are left for removal.
 */
export const acceptUpload = async (
  tx: Queryable,
  owned: OwnedTrack,
  { id: uploadId }: UploadRow,
  storageKey: string,
): Promise<UploadRow> => {
  const track = await requireLockedTrack(tx, owned)
  const upload = await lockUploadOfTrack(tx, track.id, uploadId)
  if (!upload) throw new ApiError('upload_not_found')
  if (upload.status === 'finalized') return upload
  if (upload.status !== 'pending') throw new ApiError('upload_expired')
  if (!(await keepObject(tx, storageKey))) throw new ApiError('upload_object_missing')

  const versionId =
    upload.kind === 'version'
      ? await acceptVersion(tx, track, upload, storageKey)
      : await acceptAsset(tx, upload, storageKey)
  await scheduleObjectRemoval(tx, upload.uploadKey, upload.expiresAt)
  return finalizeLockedUpload(tx, upload.id, { storageKey, versionId })
}
