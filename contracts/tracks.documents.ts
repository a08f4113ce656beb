import { contract } from './shared/contract.ts'
import { DocumentUpload, UploadIntent } from './shared/uploads.ts'

export const upload = contract('tracks.documents.upload', {
  body: DocumentUpload,
  responses: { 201: UploadIntent },
})
