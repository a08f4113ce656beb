import { upload } from '#contracts/tracks.versions.ts'
import { defineRoute } from '../define-route.ts'
import { issueUploadIntent } from './issue-upload-intent.ts'

export const uploadVersion = defineRoute(upload, ({ track, body }, ports) =>
  issueUploadIntent(track, { ...body, kind: 'version' }, ports),
)
