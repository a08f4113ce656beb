import { exampleExpiry, exampleIds, exampleTime } from '../example-ids.ts'

const times = { createdAt: exampleTime, updatedAt: exampleTime }

const track = {
  id: exampleIds.track,
  title: 'Night Drive',
  artist: 'The Owls',
  isrc: 'GB-AYE-68-00023',
  iswc: null,
  releaseDate: '2026-11-13',
  durationMs: 201000,
  currentVersionId: exampleIds.version,
  processingState: 'ready',
  ...times,
}

const version = {
  id: exampleIds.version,
  versionNumber: 1,
  label: null,
  isOriginal: true,
  isCurrent: true,
  status: 'ready',
  fileName: 'night-drive.wav',
  contentType: 'audio/wav',
  byteSize: 35456044,
  durationMs: 201000,
  sampleRate: 44100,
  channels: 2,
  assetId: exampleIds.asset,
  createdAt: exampleTime,
}

const versions = { trackId: exampleIds.track, currentVersionId: exampleIds.version, versions: [version] }

const lane = { status: 'ready', ready: true, updatedAt: exampleTime }

export const trackExamples = {
  Track: track,
  TrackPage: { records: [track], nextCursor: null },
  TrackTags: {
    trackId: exampleIds.track,
    tags: [
      {
        id: exampleIds.event,
        category: 'mood',
        value: 'calm',
        label: 'Calm',
        numericValue: null,
        confidence: 0.82,
        source: 'ai',
        hidden: false,
        ...times,
      },
    ],
    updatedAt: exampleTime,
  },
  Peaks: {
    trackId: exampleIds.track,
    versionId: exampleIds.version,
    assetId: exampleIds.asset,
    version: 2,
    channels: 1,
    sampleRate: 44100,
    samplesPerPixel: 256,
    bits: 8,
    length: 3,
    data: [-12, 14, -65, 71, -3, 5],
    durationMs: 201000,
    createdAt: exampleTime,
  },
  Rights: { entries: [], status: { isComplete: false, validationErrors: [], validatedAt: exampleTime } },
  Lyrics: {
    trackId: exampleIds.track,
    text: 'The harbour lights go out',
    language: 'en',
    lines: [{ startMs: 12400, endMs: 15800, text: 'The harbour lights go out' }],
    source: 'user',
    status: 'ready',
    ...times,
  },
  StemList: {
    trackId: exampleIds.track,
    status: 'ready',
    stems: [
      {
        id: exampleIds.stem,
        kind: 'vocals',
        label: 'Vocals',
        assetId: exampleIds.asset,
        contentType: 'audio/flac',
        byteSize: 18400312,
        durationMs: 201000,
        source: 'ai',
        createdAt: exampleTime,
      },
    ],
  },
  Versions: versions,
  VersionList: versions,
  MediaAssetList: {
    trackId: exampleIds.track,
    artwork: [
      {
        id: exampleIds.asset,
        kind: 'artwork',
        fileName: 'cover.jpg',
        contentType: 'image/jpeg',
        byteSize: 482133,
        status: 'ready',
        isPrimary: true,
        width: 3000,
        height: 3000,
        documentType: null,
        title: null,
        url: 'https://storage.example.com/cover.jpg?X-Amz-Signature=3f1c',
        urlExpiresAt: exampleExpiry,
        ...times,
      },
    ],
    documents: [],
  },
  ProcessingStatus: {
    trackId: exampleIds.track,
    stages: [],
    assets: [],
    remoteDispatches: [],
    readiness: { playback: lane, waveform: lane, tags: lane, stems: lane, lyrics: lane, embeddings: lane },
  },
}
