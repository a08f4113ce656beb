import { defineContract } from './shared/contract.ts'
import { ArtworkUpload, UploadIntent } from './shared/uploads.ts'

export const upload = defineContract('tracks.artwork.upload', {
  body: ArtworkUpload,
  responses: { 201: UploadIntent },
  limit: 'uploads',
  errors: ['quota_exceeded'],
})
