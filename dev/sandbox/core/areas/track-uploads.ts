import { v7 as uuidv7 } from 'uuid'
import { requireActor } from '../authenticate.ts'
import { type RegisterRoutes, requestOrigin } from '../create-app.ts'
import { pathId, readBody } from '../input.ts'
import { secondsFromNow } from '../object-storage.ts'
import { requireUploadQuotas } from '../quotas.ts'
import { requireOwnedTrackId, rethrowAsTrackNotFound } from '../track-scope.ts'
import { uploadInputs } from '../upload-input.ts'
import { finalizeUpload, scheduleCopyRemoval } from './finalize-upload.ts'

const folders = { version: 'versions', artwork: 'artwork', document: 'documents' } as const

export const trackUploads: RegisterRoutes = (app, parts) => {
  const { sql, storage, settings } = parts
  const inputs = uploadInputs(settings)

  for (const kind of ['version', 'artwork', 'document'] as const)
    app.post(`/v1/tracks/:trackId/${folders[kind]}/uploads`, async (request, reply) => {
      const trackId = requireOwnedTrackId(request)
      const file = readBody(request, inputs[kind])
      const [uploadId, assetId] = [uuidv7(), uuidv7()]
      const expiresAt = secondsFromNow(settings.UPLOAD_URL_TTL_S)
      const signedUrl = await storage.signUpload(`uploads/${uploadId}`, file, settings.UPLOAD_URL_TTL_S)
      const { accountId } = requireActor(request)
      await sql.begin(async (tx) => {
        await requireUploadQuotas(tx, { accountId, trackId, kind, byteSize: file.byteSize }, settings)
        await tx`
          insert into uploads ${tx({
            title: null,
            documentType: null,
            ...file,
            id: uploadId,
            trackId,
            kind,
            assetId,
            uploadKey: `uploads/${uploadId}`,
            storageKey: `assets/${assetId}`,
            expiresAt,
          })}`.catch(rethrowAsTrackNotFound)
      })
      return reply.code(201).send({
        uploadId,
        trackId,
        assetId,
        signedUrl,
        method: 'PUT',
        expiresAt,
        requiredHeaders: { 'content-type': file.contentType },
        finalizeUrl: `${settings.PUBLIC_BASE_URL ?? requestOrigin(request)}/v1/tracks/${trackId}/uploads/${uploadId}/finalize`,
      })
    })

  app.post('/v1/tracks/:trackId/uploads/:uploadId/finalize', async (request) => {
    const [trackId, uploadId] = [requireOwnedTrackId(request), pathId(request, 'uploadId')]
    await scheduleCopyRemoval(sql, trackId, uploadId)
    return sql.begin((tx) => finalizeUpload(tx, parts, trackId, uploadId))
  })
}
