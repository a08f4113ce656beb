import { invalid } from '#contracts/errors.ts'
import type { UploadIntent } from '#contracts/shared/uploads.ts'
import { newId } from '#db/new-id.ts'
import { insertUpload, type UploadRow } from '#db/queries/media/uploads.ts'
import type { OwnedTrack } from '#db/queries/tracks/tracks.ts'
import type { Ports } from '../ports.ts'
import { requireLockedTrack } from './require-track.ts'
import { requireUploadQuotas } from './require-upload-quotas.ts'

type DeclaredFile = Pick<UploadRow, 'kind' | 'fileName' | 'contentType' | 'byteSize'> &
  Partial<Pick<UploadRow, 'title' | 'documentType'>>

export const issueUploadIntent = async (
  track: OwnedTrack,
  file: DeclaredFile,
  { db, storage, media, quotas, clock }: Ports,
): Promise<UploadIntent> => {
  const largest = media.maxBytes[file.kind]
  if (file.byteSize > largest) throw invalid('byteSize', `must be at most ${largest}`)

  const [uploadId, assetId] = [newId(), newId()]
  const uploadKey = `uploads/${uploadId}`
  const { url, expiresAt, requiredHeaders } = await storage.presignPut(uploadKey, {
    contentType: file.contentType,
    byteSize: file.byteSize,
    expiresInS: media.ttlS.upload,
  })
  const finalizeUrl = `${media.publicBaseUrl()}/v1/tracks/${track.id}/uploads/${uploadId}/finalize`
  return db.tx(async (tx) => {
    await requireUploadQuotas(tx, await requireLockedTrack(tx, track), file, { quotas, clock })
    const storageKey = `assets/${assetId}`
    await insertUpload(tx, {
      title: null,
      documentType: null,
      ...file,
      id: uploadId,
      trackId: track.id,
      uploadKey,
      storageKey,
      assetId,
      versionId: null,
      expiresAt,
      finalizedAt: null,
    })
    return {
      uploadId,
      trackId: track.id,
      assetId,
      signedUrl: url,
      method: 'PUT',
      expiresAt,
      requiredHeaders: { ...requiredHeaders },
      finalizeUrl,
    }
  })
}
