import { defineScenario } from '#migration/parity/run/scenario.ts'
import { createDocument } from './fixtures/files.ts'
import { createTrack } from './fixtures/libraries.ts'
import {
  createOwnedTrack,
  getFailedTrack,
  getFullTrack,
  getHalfFailedTrack,
  getPromotedTrack,
  getRevisedTrack,
  getToneTrack,
  uploadWithoutFinalizing,
  withNewTrack,
  withSharedTrack,
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
    defineScenario(label, 200, 'serves a tone', withSharedTrack(getToneTrack)),
    defineScenario(label, 200, 'serves a track with other files', withSharedTrack(getFullTrack), {
      // An MP3's peaks.
      needsFfmpeg: label === 'tracks.peaks.detail',
    }),
    defineScenario(label, 200, 'serves the current version', withSharedTrack(getHalfFailedTrack)),
    defineScenario(label, 200, 'serves a promoted version', withSharedTrack(getPromotedTrack)),
    defineScenario(
      label,
      200,
      'serves the current version before a later one',
      withSharedTrack(getRevisedTrack),
    ),
    defineScenario(label, 404, 'returns 404 for a track without audio', withNewTrack({})),
    defineScenario(label, 404, 'returns 404 for audio that failed', withSharedTrack(getFailedTrack)),
  ]),

  ...fileCases.map(([title, id]) =>
    defineScenario(
      download,
      200,
      `returns the URL of ${title}`,
      withSharedTrack(getFullTrack, (track) => ({ query: { assetId: track[id] } })),
    ),
  ),
  defineScenario(
    download,
    200,
    'uses the first of several assetId parameters',
    withSharedTrack(getFullTrack, ({ artworkId, documentId }) => ({
      query: [
        ['assetId', artworkId],
        ['assetId', documentId],
      ],
    })),
  ),
  ...[unknownId, '', 'no id', '../secret', 'a'.repeat(129)].map((assetId) =>
    defineScenario(
      download,
      404,
      `does not find file ${JSON.stringify(assetId.slice(0, 40))}`,
      withSharedTrack(getToneTrack, () => ({ query: { assetId } })),
    ),
  ),
  defineScenario(download, 404, 'does not find a file of another track', async (context) => {
    const { owner, artworkId } = await getFullTrack(context)
    const { id: trackId } = await createTrack(owner, 'Another')
    return { as: owner, params: { trackId }, query: { assetId: artworkId } }
  }),
  defineScenario(download, 200, 'returns the URL of a version that is not current', async (context) => {
    const { owner, params } = await getPromotedTrack(context)
    const { versions } = await owner.call('tracks.versions.list', { params })
    return { as: owner, params, query: { assetId: versions[0]?.assetId ?? '' } }
  }),
  defineScenario(download, 404, 'does not find audio that failed by its id', async (context) => {
    const { owner, params } = await getFailedTrack(context)
    const { versions } = await owner.call('tracks.versions.list', { params })
    return { as: owner, params, query: { assetId: versions[0]?.assetId ?? '' } }
  }),

  ...readLabels.flatMap((label) => [
    defineScenario(label, 200, 'returns a track without files', withNewTrack({})),
    defineScenario(label, 200, 'returns a track with many files', withSharedTrack(getFullTrack)),
    defineScenario(label, 200, 'returns a track that failed', withSharedTrack(getFailedTrack)),
  ]),
  defineScenario('tracks.media-assets.list', 200, 'omits uploads that are not finalized', async (context) => {
    const owned = await createOwnedTrack(context)
    await uploadWithoutFinalizing(owned, 'tracks.documents.upload', createDocument())
    return { as: owned.owner, params: owned.params }
  }),

  defineScenario('tracks.tags.detail', 200, 'returns no tags for a new track', withNewTrack({})),
  defineScenario(
    'tracks.tags.detail',
    200,
    'returns the tags of analysed audio',
    withSharedTrack(getToneTrack),
  ),
  defineScenario('tracks.tags.detail', 200, 'returns the tags of a file', withSharedTrack(getFullTrack)),
  defineScenario(
    'tracks.tags.detail',
    200,
    'returns no tags for failed audio',
    withSharedTrack(getFailedTrack),
  ),
  ...['true', 'false'].map((includeHidden) =>
    defineScenario(
      'tracks.tags.detail',
      200,
      `accepts includeHidden=${includeHidden}`,
      withSharedTrack(getFullTrack, () => ({ query: { includeHidden } })),
    ),
  ),
  defineScenario(
    'tracks.tags.detail',
    200,
    'uses the first of several includeHidden parameters',
    withSharedTrack(getFullTrack, () => ({
      query: [
        ['includeHidden', 'true'],
        ['includeHidden', 'maybe'],
      ],
    })),
  ),
  ...['', 'TRUE', '1', 'yes', ' true'].map((includeHidden) =>
    defineScenario(
      'tracks.tags.detail',
      400,
      `rejects includeHidden=${JSON.stringify(includeHidden)}`,
      withNewTrack({ query: { includeHidden } }),
    ),
  ),
]
