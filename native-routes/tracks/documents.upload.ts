import { upload } from '#contracts/tracks.documents.ts'
import { defineRoute } from '../define-route.ts'
import { issueUploadIntent } from './issue-upload-intent.ts'

export const uploadDocument = defineRoute(upload, ({ track, body }, ports) =>
  issueUploadIntent(track, { ...body, documentType: body.documentType ?? null, kind: 'document' }, ports),
)
