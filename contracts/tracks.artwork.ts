import { contract } from './shared/contract.ts'
import { ArtworkUpload, UploadIntent } from './shared/uploads.ts'

export const upload = contract('tracks.artwork.upload', {
  body: ArtworkUpload,
  responses: { 201: UploadIntent },
})
