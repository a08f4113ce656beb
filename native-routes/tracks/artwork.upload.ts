import { upload } from '#contracts/tracks.artwork.ts'
import { defineRoute } from '../define-route.ts'
import { issueUploadIntent } from './issue-upload-intent.ts'

export const uploadArtwork = defineRoute(upload, ({ track, body }, ports) =>
  issueUploadIntent(track, { ...body, kind: 'artwork' }, ports),
)
