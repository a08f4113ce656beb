import { defineContract } from './shared/contract.ts'
import { DocumentUpload, UploadIntent } from './shared/uploads.ts'

export const upload = defineContract('tracks.documents.upload', {
  body: DocumentUpload,
  responses: { 201: UploadIntent },
  limit: 'uploads',
  errors: ['quota_exceeded'],
})
