import { ApiError } from '#contracts/errors.ts'
import { isId } from '#contracts/shared/primitives.ts'
import { mediaTypeOf } from '#contracts/shared/uploads.ts'
import { type FinalizedUpload, finalize } from '#contracts/tracks.uploads.ts'
import type { Queryable } from '#db/client/connection.ts'
import { insertJob } from '#db/queries/jobs/jobs.ts'
import { insertMediaAsset } from '#db/queries/media/media-assets.ts'
import {
  finalizeLockedUpload,
  findUploadOfTrack,
  getFinalizationCutoff,
  lockUploadOfTrack,
  type UploadRow,
} from '#db/queries/media/uploads.ts'
import { insertTrackVersion } from '#db/queries/tracks/track-versions.ts'
import type { OwnedTrack } from '#db/queries/tracks/tracks.ts'
import { defineRoute } from '../define-route.ts'
import type { Ports } from '../ports.ts'
import { requireLockedTrack } from './require-track.ts'
import { requireFileQuota } from './require-upload-quotas.ts'
import { startProcessing } from './start-processing.ts'

// Clients can still replace the object at the upload key, so the job copies it and inspects the copy.
const insertUploadedFile = (tx: Queryable, upload: UploadRow, versionId: string | null) =>
  insertMediaAsset(tx, {
    id: upload.assetId,
    trackId: upload.trackId,
    versionId,
    kind: upload.kind === 'version' ? 'original' : upload.kind,
    fileName: upload.fileName,
    contentType: upload.contentType,
    byteSize: upload.byteSize,
    storageKey: upload.uploadKey,
    title: upload.title,
    documentType: upload.documentType,
    width: null,
    height: null,
  })

const acceptVersion = async (tx: Queryable, track: OwnedTrack, upload: UploadRow) => {
  const version = await insertTrackVersion(tx, track)
  await insertUploadedFile(tx, upload, version.id)
  await startProcessing(
    tx,
    { trackId: track.id, versionId: version.id },
    { trigger: 'upload', isCurrent: version.isCurrent, isPlayable: false },
  )
  return version.id
}

const acceptAsset = async (tx: Queryable, upload: UploadRow) => {
  await insertUploadedFile(tx, upload, null)
  await insertJob(tx, { queue: 'check-asset', assetId: upload.assetId })
  return null
}

/** If several requests finalize an upload, only the first does this; the rest return its result. */
const acceptUpload = async (
  tx: Queryable,
  owned: OwnedTrack,
  { id: uploadId }: UploadRow,
  ports: Pick<Ports, 'quotas'>,
): Promise<UploadRow> => {
  const track = await requireLockedTrack(tx, owned)
  const upload = await lockUploadOfTrack(tx, track.id, uploadId)
  if (!upload) throw new ApiError('upload_not_found')
  if (upload.status === 'finalized') return upload
  if (upload.status !== 'pending') throw new ApiError('upload_expired')

  // Checked again, because the upload may come from a core without quotas, or predate a reduced quota.
  await requireFileQuota(tx, track, upload.kind, ports)
  const versionId =
    upload.kind === 'version' ? await acceptVersion(tx, track, upload) : await acceptAsset(tx, upload)
  return finalizeLockedUpload(tx, upload.id, versionId)
}

const requireUnexpired = ({ status, expiresAt }: UploadRow, clock: Ports['clock']) => {
  if (status !== 'pending' || expiresAt < getFinalizationCutoff(clock.now()))
    throw new ApiError('upload_expired')
}

/** If this throws, the upload stays pending. */
const requireDeclaredObject = async (
  declared: Pick<UploadRow, 'uploadKey' | 'byteSize' | 'contentType'>,
  { storage }: Pick<Ports, 'storage'>,
) => {
  const object = await storage.find(declared.uploadKey)
  if (!object) throw new ApiError('upload_object_missing')
  if (object.byteSize !== declared.byteSize) throw new ApiError('upload_size_mismatch')
  if (mediaTypeOf(object.contentType ?? '') !== declared.contentType)
    throw new ApiError('upload_content_type_mismatch')
}

const toFinalizedUpload = ({ id, trackId, assetId, kind, versionId }: UploadRow): FinalizedUpload => ({
  uploadId: id,
  trackId,
  assetId,
  status: 'finalized',
  kind,
  ...(versionId === null ? {} : { versionId }),
})

export const finalizeUpload = defineRoute(finalize, async ({ track, params }, ports) => {
  const upload = isId(params.uploadId)
    ? await findUploadOfTrack(ports.db.read, track.id, params.uploadId)
    : null
  if (!upload) throw new ApiError('upload_not_found')
  if (upload.status === 'finalized') return toFinalizedUpload(upload)

  requireUnexpired(upload, ports.clock)
  await requireDeclaredObject(upload, ports)
  return ports.db.tx(async (tx) => toFinalizedUpload(await acceptUpload(tx, track, upload, ports)))
})
