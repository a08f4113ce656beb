import { defineScenario } from '#migration/parity/run/scenario.ts'
import { createBrokenWav, createDocument, createPng, createWav } from './fixtures/files.ts'
import { createTrack } from './fixtures/libraries.ts'
import {
  createOwnedTrack,
  createProcessedTrack,
  readAfterProcessing,
  uploadFile,
  uploadWithoutFinalizing,
  waitForProcessing,
} from './fixtures/tracks.ts'

const unknownId = '0190aaaa-0000-7000-8000-000000000000'

const label = 'tracks.uploads.finalize'

const fileCases = [
  ['tracks.versions.upload', 'a version', createWav(), {}],
  ['tracks.artwork.upload', 'artwork', createPng(), {}],
  ['tracks.documents.upload', 'a document', createDocument(), {}],
  [
    'tracks.documents.upload',
    'a document with a title',
    createDocument(),
    { title: ' Deed ', documentType: 'license' },
  ],
] as const

export const trackUploads = [
  ...fileCases.map(([uploadLabel, title, file, fields]) =>
    defineScenario(label, 200, `finalizes ${title}`, async (context) => {
      const track = await createOwnedTrack(context)
      const params = await uploadWithoutFinalizing(track, uploadLabel, file, fields)
      return { as: track.owner, params, ...readAfterProcessing(track) }
    }),
  ),
  defineScenario(label, 200, 'returns the same response again and ignores the body', async (context) => {
    const track = await createOwnedTrack(context)
    const { uploadId } = await uploadFile(track, 'tracks.documents.upload', createDocument())
    await waitForProcessing(track)
    return { as: track.owner, params: { ...track.params, uploadId }, text: '{"' }
  }),
  defineScenario(label, 200, 'returns the version again', async (context) => {
    const track = await createOwnedTrack(context)
    const { uploadId } = await uploadFile(track, 'tracks.versions.upload', createBrokenWav())
    await waitForProcessing(track)
    return { as: track.owner, params: { ...track.params, uploadId } }
  }),
  defineScenario(label, 200, 'keeps the first version as the current one', async (context) => {
    const track = await createProcessedTrack(context, createWav())
    return {
      as: track.owner,
      params: await uploadWithoutFinalizing(track, 'tracks.versions.upload', createWav(1, 'second.wav')),
      ...readAfterProcessing(track),
    }
  }),
  defineScenario(label, 200, 'numbers a version after one that was removed', async (context) => {
    const track = await createProcessedTrack(context, createWav(), createBrokenWav())
    const versionId = track.versionIds[1] ?? ''
    await track.owner.call('tracks.versions.remove', { params: { ...track.params, versionId } })
    const params = await uploadWithoutFinalizing(track, 'tracks.versions.upload', createBrokenWav())
    return { as: track.owner, params, ...readAfterProcessing(track) }
  }),
  defineScenario(label, 200, 'keeps the first artwork as the primary one', async (context) => {
    const track = await createOwnedTrack(context)
    await uploadFile(track, 'tracks.artwork.upload', createPng())
    await waitForProcessing(track)
    const params = await uploadWithoutFinalizing(track, 'tracks.artwork.upload', createPng('back.png'))
    return { as: track.owner, params, ...readAfterProcessing(track) }
  }),
  ...[
    ['an unknown upload', unknownId],
    ['a malformed id', 'no id'],
  ].map(([title, uploadId = '']) =>
    defineScenario(label, 404, `does not find ${title}`, async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      return { as: owner, params: { ...params, uploadId } }
    }),
  ),
  defineScenario(label, 404, 'does not find an upload of another track', async (context) => {
    const track = await createOwnedTrack(context)
    const { uploadId } = await uploadWithoutFinalizing(track, 'tracks.documents.upload', createDocument())
    const { id: trackId } = await createTrack(track.owner, 'Another')
    return { as: track.owner, params: { trackId, uploadId } }
  }),
  defineScenario(label, 409, 'rejects an upload without bytes', async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    const body = { fileName: 'night.wav', contentType: 'audio/wav', byteSize: 100 }
    const { uploadId } = await owner.call('tracks.versions.upload', { params, body })
    return { as: owner, params: { ...params, uploadId } }
  }),
]
