import { ApiError } from '#contracts/errors.ts'
import { isId } from '#contracts/shared/primitives.ts'
import { type FinalizedUpload, finalize } from '#contracts/tracks.uploads.ts'
import { findUploadOfTrack, type UploadRow } from '#db/queries/media/uploads.ts'
import { defineRoute } from '../define-route.ts'
import { acceptUpload } from './accept-upload.ts'
import { requireDeclaredObject, requireUnexpired } from './uploaded-object.ts'

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
