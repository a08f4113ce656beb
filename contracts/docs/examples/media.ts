import { exampleExpiry, exampleIds } from '../example-ids.ts'

const file = {
  trackId: exampleIds.track,
  versionId: exampleIds.version,
  assetId: exampleIds.asset,
  url: 'https://storage.example.com/night-drive.wav?X-Amz-Signature=3f1c',
}

const dispatch = { trackId: exampleIds.track, dispatchId: exampleIds.dispatch }

export const mediaExamples = {
  PlaybackUrl: {
    ...file,
    contentType: 'audio/wav',
    byteSize: 35456044,
    durationMs: 201000,
    expiresAt: exampleExpiry,
  },
  DownloadUrl: {
    ...file,
    fileName: 'night-drive.wav',
    contentType: 'audio/wav',
    byteSize: 35456044,
    expiresAt: exampleExpiry,
  },
  RunningDispatch: { ...dispatch, status: 'already_running' },
  RetriedDispatch: { ...dispatch, status: 'dispatched' },
  UploadIntent: {
    uploadId: exampleIds.upload,
    trackId: exampleIds.track,
    assetId: exampleIds.asset,
    signedUrl: 'https://storage.example.com/night-drive.wav?X-Amz-Signature=3f1c',
    method: 'PUT',
    expiresAt: exampleExpiry,
    requiredHeaders: { 'content-type': 'audio/wav' },
    finalizeUrl: `https://api.example.com/v1/tracks/${exampleIds.track}/uploads/${exampleIds.upload}/finalize`,
  },
  FinalizedUpload: {
    uploadId: exampleIds.upload,
    trackId: exampleIds.track,
    assetId: exampleIds.asset,
    status: 'finalized',
    kind: 'version',
    versionId: exampleIds.version,
  },
}
