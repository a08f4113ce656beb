import { scenario } from '../contract-run/scenario.ts'
import { aDocument } from './fixtures/files.ts'
import { aTrack } from './fixtures/libraries.ts'
import {
  anOwner,
  failedTrack,
  fullTrack,
  halfFailedTrack,
  ofNewTrack,
  ofShared,
  promotedTrack,
  putFile,
  toneTrack,
} from './fixtures/tracks.ts'

const unknownId = '0190aaaa-0000-7000-8000-000000000000'

const audioLabels = ['tracks.playback-url.issue', 'tracks.download-url.issue', 'tracks.peaks.detail'] as const
const readLabels = ['tracks.rights.detail', 'tracks.stems.list', 'tracks.media-assets.list'] as const
const download = 'tracks.download-url.issue'

const fileCases: readonly (readonly [title: string, id: 'artworkId' | 'documentId'])[] = [
  ['artwork', 'artworkId'],
  ['a document', 'documentId'],
]

export const trackMedia = [
  ...audioLabels.flatMap((label) => [
    scenario(label, 200, 'serves a tone', ofShared(toneTrack)),
    scenario(label, 200, 'serves a track with other files', ofShared(fullTrack)),
    scenario(label, 200, 'serves the current version', ofShared(halfFailedTrack)),
    scenario(label, 200, 'serves a promoted version', ofShared(promotedTrack)),
    scenario(label, 404, 'returns 404 for a track without audio', ofNewTrack({})),
    scenario(label, 404, 'returns 404 for audio that failed', ofShared(failedTrack)),
  ]),

  ...fileCases.map(([title, id]) =>
    scenario(
      download,
      200,
      `returns the URL of ${title}`,
      ofShared(fullTrack, (track) => ({ query: { assetId: track[id] } })),
    ),
  ),
  scenario(
    download,
    200,
    'uses the first of several assetId parameters',
    ofShared(fullTrack, ({ artworkId, documentId }) => ({
      query: [
        ['assetId', artworkId],
        ['assetId', documentId],
      ],
    })),
  ),
  ...[unknownId, '', 'no id', '../secret', 'a'.repeat(129)].map((assetId) =>
    scenario(
      download,
      404,
      `does not find file ${JSON.stringify(assetId.slice(0, 40))}`,
      ofShared(toneTrack, () => ({ query: { assetId } })),
    ),
  ),
  scenario(download, 404, 'does not find a file of another track', async (context) => {
    const { owner, artworkId } = await fullTrack(context)
    const { id: trackId } = await aTrack(owner, 'Another')
    return { as: owner, params: { trackId }, query: { assetId: artworkId } }
  }),
  scenario(download, 404, 'does not find audio that failed by its id', async (context) => {
    const { owner, params } = await failedTrack(context)
    const { versions } = await owner.call('tracks.versions.list', { params })
    return { as: owner, params, query: { assetId: versions[0]?.assetId ?? '' } }
  }),

  ...readLabels.flatMap((label) => [
    scenario(label, 200, 'returns a track without files', ofNewTrack({})),
    scenario(label, 200, 'returns a track with many files', ofShared(fullTrack)),
    scenario(label, 200, 'returns a track that failed', ofShared(failedTrack)),
  ]),
  scenario('tracks.media-assets.list', 200, 'omits uploads that are not finalized', async (context) => {
    const owned = await anOwner(context)
    await putFile(owned, 'tracks.documents.upload', aDocument())
    return { as: owned.owner, params: owned.params }
  }),

  scenario('tracks.tags.detail', 200, 'returns no tags for a new track', ofNewTrack({})),
  scenario('tracks.tags.detail', 200, 'returns the tags of analysed audio', ofShared(toneTrack)),
  scenario('tracks.tags.detail', 200, 'returns the tags of a file', ofShared(fullTrack)),
  scenario('tracks.tags.detail', 200, 'returns no tags for failed audio', ofShared(failedTrack)),
  ...['true', 'false'].map((includeHidden) =>
    scenario(
      'tracks.tags.detail',
      200,
      `accepts includeHidden=${includeHidden}`,
      ofShared(fullTrack, () => ({ query: { includeHidden } })),
    ),
  ),
  scenario(
    'tracks.tags.detail',
    200,
    'uses the first of several includeHidden parameters',
    ofShared(fullTrack, () => ({
      query: [
        ['includeHidden', 'true'],
        ['includeHidden', 'maybe'],
      ],
    })),
  ),
  ...['', 'TRUE', '1', 'yes', ' true'].map((includeHidden) =>
    scenario(
      'tracks.tags.detail',
      400,
      `rejects includeHidden=${JSON.stringify(includeHidden)}`,
      ofNewTrack({ query: { includeHidden } }),
    ),
  ),
]
