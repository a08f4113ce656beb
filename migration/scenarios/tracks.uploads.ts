import { scenario } from '../contract-run/scenario.ts'
import { aDocument, aPng, aWav } from './fixtures/files.ts'
import { aTrack } from './fixtures/libraries.ts'
import { anOwner, processedTrack, putFile, uploadFile } from './fixtures/tracks.ts'

const unknownId = '0190aaaa-0000-7000-8000-000000000000'

const label = 'tracks.uploads.finalize'

const fileCases = [
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
  ...fileCases.map(([uploadLabel, title, file, fields]) =>
    scenario(label, 200, `finalizes ${title}`, async (context) => {
      const track = await anOwner(context)
      return { as: track.owner, params: await putFile(track, uploadLabel, file, fields) }
    }),
  ),
  scenario(label, 200, 'returns the same response again and ignores the body', async (context) => {
    const track = await anOwner(context)
    const { uploadId } = await uploadFile(track, 'tracks.documents.upload', aDocument())
    return { as: track.owner, params: { ...track.params, uploadId }, text: '{"' }
  }),
  scenario(label, 200, 'keeps the first version as the current one', async (context) => {
    const track = await processedTrack(context, aWav())
    return { as: track.owner, params: await putFile(track, 'tracks.versions.upload', aWav(1, 'second.wav')) }
  }),
  ...[
    ['an unknown upload', unknownId],
    ['a malformed id', 'no id'],
  ].map(([title, uploadId = '']) =>
    scenario(label, 404, `does not find ${title}`, async (context) => {
      const { owner, params } = await anOwner(context)
      return { as: owner, params: { ...params, uploadId } }
    }),
  ),
  scenario(label, 404, 'does not find an upload of another track', async (context) => {
    const track = await anOwner(context)
    const { uploadId } = await putFile(track, 'tracks.documents.upload', aDocument())
    const { id: trackId } = await aTrack(track.owner, 'Another')
    return { as: track.owner, params: { trackId, uploadId } }
  }),
  scenario(label, 409, 'rejects an upload without bytes', async (context) => {
    const { owner, params } = await anOwner(context)
    const body = { fileName: 'night.wav', contentType: 'audio/wav', byteSize: 100 }
    const { uploadId } = await owner.call('tracks.versions.upload', { params, body })
    return { as: owner, params: { ...params, uploadId } }
  }),
]
