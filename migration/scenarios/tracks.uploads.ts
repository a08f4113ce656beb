import { scenario } from '../contract-run/scenario.ts'
import { aDocument, aPng, aWav } from './fixtures/files.ts'
import { aTrack } from './fixtures/libraries.ts'
import { anOwner, processedTrack, putFile, uploadFile } from './fixtures/tracks.ts'

const absent = '0190aaaa-0000-7000-8000-000000000000'

const label = 'tracks.uploads.finalize'

const files = [
  ['tracks.versions.upload', 'a version', aWav(), {}],
  ['tracks.artwork.upload', 'artwork', aPng(), {}],
  ['tracks.documents.upload', 'a document', aDocument(), {}],
  [
    'tracks.documents.upload',
    'a document with a title',
    aDocument(),
    { title: ' Deed ', documentType: 'license' },
  ],
] as const

export const trackUploads = [
  ...files.map(([kind, what, file, fields]) =>
    scenario(label, 200, `accepts ${what}`, async (world) => {
      const owned = await anOwner(world)
      return { as: owned.owner, params: await putFile(owned, kind, file, fields) }
    }),
  ),
  scenario(label, 200, 'answers the same the second time, whatever is sent along', async (world) => {
    const owned = await anOwner(world)
    const { uploadId } = await uploadFile(owned, 'tracks.documents.upload', aDocument())
    return { as: owned.owner, params: { ...owned.params, uploadId }, text: '{"' }
  }),
  scenario(label, 200, 'leaves the first version the current one', async (world) => {
    const track = await processedTrack(world, aWav())
    return { as: track.owner, params: await putFile(track, 'tracks.versions.upload', aWav(1, 'second.wav')) }
  }),
  ...[
    ['one that does not exist', absent],
    ['one by an id that can be none', 'no id'],
  ].map(([what, uploadId = '']) =>
    scenario(label, 404, `does not know ${what}`, async (world) => {
      const { owner, params } = await anOwner(world)
      return { as: owner, params: { ...params, uploadId } }
    }),
  ),
  scenario(label, 404, 'does not know that of another track', async (world) => {
    const owned = await anOwner(world)
    const { uploadId } = await putFile(owned, 'tracks.documents.upload', aDocument())
    const { id: trackId } = await aTrack(owned.owner, 'Another')
    return { as: owned.owner, params: { trackId, uploadId } }
  }),
  scenario(label, 409, 'misses bytes that were never put', async (world) => {
    const { owner, params } = await anOwner(world)
    const body = { fileName: 'night.wav', contentType: 'audio/wav', byteSize: 100 }
    const { uploadId } = await owner.call('tracks.versions.upload', { params, body })
    return { as: owner, params: { ...params, uploadId } }
  }),
]
