import { ApiError } from '#contracts/errors.ts'
import { isId } from '#contracts/shared/primitives.ts'
import { mediaTypeOf } from '#contracts/shared/uploads.ts'
import { type FinalizedUpload, finalize } from '#contracts/tracks.uploads.ts'
import { findUploadOfTrack, getFinalizationCutoff, type UploadRow } from '#db/queries/media/uploads.ts'
import { defineRoute } from '../define-route.ts'
import type { Ports } from '../ports.ts'
import { acceptUpload } from './accept-upload.ts'

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
