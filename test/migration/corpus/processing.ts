import { recordedResponse } from '../responses.ts'
import {
  createResponsePairs,
  id,
  noiseAt,
  removeField,
  replaceResponse,
  reverse,
  setField,
  setText,
  timestampAt,
  url,
} from './pairs.ts'

const download = {
  trackId: id(1),
  versionId: id(2),
  assetId: id(3),
  url: url('originals/1.wav', 'aaaa'),
  fileName: 'Night Drive.wav',
  contentType: 'audio/wav',
  byteSize: 1000,
  expiresAt: timestampAt(5),
}

const upload = {
  uploadId: id(1),
  trackId: id(2),
  assetId: id(3),
  signedUrl: url('uploads/1', 'aaaa'),
  method: 'PUT',
  expiresAt: timestampAt(5),
  requiredHeaders: { 'content-type': 'audio/wav', 'content-length': '1000' },
  finalizeUrl: `https://api.example.com/v1/tracks/${id(2)}/uploads/${id(1)}/finalize`,
}

const readiness = { status: 'ready', ready: true, updatedAt: timestampAt(1) }

const processing = {
  trackId: id(1),
  stages: [
    {
      id: id(11),
      lane: 'playback',
      status: 'succeeded',
      attempt: 1,
      progress: 1,
      startedAt: timestampAt(1),
      completedAt: timestampAt(2),
      error: null,
      updatedAt: timestampAt(2),
    },
    {
      id: id(12),
      lane: 'tags',
      status: 'running',
      attempt: 1,
      progress: 0.5,
      startedAt: timestampAt(1),
      completedAt: null,
      error: null,
      updatedAt: timestampAt(2),
    },
  ],
  assets: [
    {
      id: id(21),
      kind: 'original',
      status: 'ready',
      versionId: id(31),
      contentType: 'audio/wav',
      byteSize: 1,
      createdAt: timestampAt(1),
    },
  ],
  remoteDispatches: [],
  readiness: {
    playback: readiness,
    waveform: readiness,
    tags: readiness,
    stems: readiness,
    lyrics: readiness,
    embeddings: readiness,
  },
}

export const processingPairs = [
  ...createResponsePairs('tracks.download-url.issue', recordedResponse(200, download), [
    [
      'has a new signature and expiry',
      { native: [setField('url', url('originals/2.wav', 'bbbb')), setField('expiresAt', timestampAt(6))] },
    ],
    [
      'is signed with fewer query parameters',
      { native: setField('url', 'https://store.example.com/bucket/originals/1.wav?X-Amz-Signature=b') },
      'format body.url regression unknown',
    ],
    [
      'has a different file name',
      { native: setField('fileName', 'night-drive.wav') },
      'value body.fileName regression unknown',
    ],
    ['has a different size', { native: setField('byteSize', 999) }, 'value body.byteSize regression unknown'],
    [
      'has a relative URL',
      { native: setField('url', 'originals/1.wav') },
      'format body.url regression native',
    ],
    [
      'has a relative URL on both sides',
      { both: setField('url', 'originals/1.wav') },
      'schema body.url regression both',
    ],
  ]),
  ...createResponsePairs('tracks.versions.upload', recordedResponse(201, upload), [
    [
      'has different but consistent generated ids',
      {
        native: [
          setField('uploadId', id(71)),
          setField('assetId', id(73)),
          setField('signedUrl', url('uploads/71', 'b')),
        ],
      },
    ],
    [
      'requires an additional header',
      { native: setField('requiredHeaders.x-amz-acl', 'private') },
      'extra body.requiredHeaders.? accepted unknown',
    ],
    [
      'lacks a required header',
      { native: removeField('requiredHeaders.content-length') },
      'missing body.requiredHeaders.? regression unknown',
    ],
    [
      'requires a different content-length',
      { native: setField('requiredHeaders.content-length', '1') },
      'value body.requiredHeaders.? regression unknown',
    ],
    ['has the method POST', { native: setField('method', 'POST') }, 'value body.method regression native'],
    [
      'has a different finalize URL',
      { native: setField('finalizeUrl', 'https://api.example.com/v1/uploads') },
      'format body.finalizeUrl regression unknown',
    ],
  ]),
  ...createResponsePairs('tracks.processing.status', recordedResponse(200, processing), [
    [
      'has stages in a different order',
      { native: reverse('stages') },
      'order body.stages regression unknown',
    ],
    [
      'has a different progress',
      { native: setField('stages.1.progress', 0.7) },
      'value body.stages.*.progress regression unknown',
    ],
    [
      'has a different progress where the core differs from itself',
      { native: setField('stages.1.progress', 0.7), noise: noiseAt('value body.stages.*.progress') },
      'value body.stages.*.progress noise core',
    ],
    [
      'lacks a field where the core differs from itself',
      { native: removeField('stages.1.progress'), noise: noiseAt('value body.stages.*.progress') },
      'missing body.stages.*.progress regression native',
    ],
    [
      'violates the contract where the core differs from itself',
      { native: setField('stages.1.progress', 7), noise: noiseAt('value body.stages.*.progress') },
      'value body.stages.*.progress regression native',
    ],
    [
      'has an additional run',
      {
        native: setField('ingestionRun', {
          id: id(41),
          trigger: 'upload',
          status: 'running',
          startedAt: null,
          completedAt: null,
          error: null,
        }),
      },
      'extra body.ingestionRun regression unknown',
    ],
    [
      'leaks the owner of an additional run',
      {
        native: setField('ingestionRun', {
          id: id(41),
          trigger: 'upload',
          status: 'running',
          startedAt: null,
          completedAt: null,
          error: null,
          ownerId: 'acct_owner',
        }),
      },
      'extra body.ingestionRun regression native',
      'schema body.ingestionRun.? critical native',
    ],
    [
      'lacks a lane',
      { native: removeField('readiness.stems') },
      'missing body.readiness.stems regression native',
    ],
    [
      'leaks the storage location of an asset',
      { native: setField('assets.0.storageUri', 's3://bucket/key') },
      'extra body.assets.*.? critical native',
    ],
    [
      'has an invalid error',
      { native: setField('stages.0.error', { code: 'x' }) },
      'type body.stages.*.error regression native',
    ],
  ]),
  ...createResponsePairs(
    'tracks.processing.retry',
    recordedResponse(202, { trackId: id(1), dispatchId: id(2), status: 'dispatched' }),
    [
      ['has a different generated dispatch id', { native: setField('dispatchId', id(72)) }],
      [
        'is already running',
        { native: replaceResponse(200, { trackId: id(1), dispatchId: id(2), status: 'already_running' }) },
        'status status regression unknown',
      ],
      [
        'is already running with the wrong status',
        { native: setField('status', 'already_running') },
        'value body.status regression native',
      ],
      ['is text', { native: setText('ok') }, 'type body regression native'],
    ],
  ),
]
