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

const absent = '0190aaaa-0000-7000-8000-000000000000'

const audible = ['tracks.playback-url.issue', 'tracks.download-url.issue', 'tracks.peaks.detail'] as const
const reads = ['tracks.rights.detail', 'tracks.stems.list', 'tracks.media-assets.list'] as const
const download = 'tracks.download-url.issue'

const files: readonly (readonly [what: string, id: 'artworkId' | 'documentId'])[] = [
  ['artwork', 'artworkId'],
  ['a document', 'documentId'],
]

export const trackMedia = [
  ...audible.flatMap((label) => [
    scenario(label, 200, 'of a tone', ofShared(toneTrack)),
    scenario(label, 200, 'of a track with much else', ofShared(fullTrack)),
    scenario(label, 200, 'of the version that is current', ofShared(halfFailedTrack)),
    scenario(label, 200, 'of a version that was promoted', ofShared(promotedTrack)),
    scenario(label, 404, 'of a track without audio', ofNewTrack({})),
    scenario(label, 404, 'of audio that is none', ofShared(failedTrack)),
  ]),

  ...files.map(([what, id]) =>
    scenario(
      download,
      200,
      `gives out ${what}`,
      ofShared(fullTrack, (track) => ({ query: { assetId: track[id] } })),
    ),
  ),
  scenario(
    download,
    200,
    'goes by the first file of several',
    ofShared(fullTrack, ({ artworkId, documentId }) => ({
      query: [
        ['assetId', artworkId],
        ['assetId', documentId],
      ],
    })),
  ),
  ...[absent, '', 'no id', '../secret', 'a'.repeat(129)].map((assetId) =>
    scenario(
      download,
      404,
      `knows no file ${assetId.slice(0, 40)}`,
      ofShared(toneTrack, () => ({ query: { assetId } })),
    ),
  ),
  scenario(download, 404, 'does not give out a file of another track', async (world) => {
    const { owner, artworkId } = await fullTrack(world)
    const { id: trackId } = await aTrack(owner, 'Another')
    return { as: owner, params: { trackId }, query: { assetId: artworkId } }
  }),
  scenario(download, 404, 'does not give out audio that is none', async (world) => {
    const { owner, params } = await failedTrack(world)
    const { versions } = await owner.call('tracks.versions.list', { params })
    return { as: owner, params, query: { assetId: versions[0]?.assetId ?? '' } }
  }),

  ...reads.flatMap((label) => [
    scenario(label, 200, 'of a track that holds nothing', ofNewTrack({})),
    scenario(label, 200, 'of a track that holds much', ofShared(fullTrack)),
    scenario(label, 200, 'of a track that failed', ofShared(failedTrack)),
  ]),
  scenario('tracks.media-assets.list', 200, 'leaves out what is not finalized', async (world) => {
    const owned = await anOwner(world)
    await putFile(owned, 'tracks.documents.upload', aDocument())
    return { as: owned.owner, params: owned.params }
  }),

  scenario('tracks.tags.detail', 200, 'shows none', ofNewTrack({})),
  scenario('tracks.tags.detail', 200, 'shows what was heard', ofShared(toneTrack)),
  scenario('tracks.tags.detail', 200, 'shows what the file said', ofShared(fullTrack)),
  scenario('tracks.tags.detail', 200, 'shows none of what failed', ofShared(failedTrack)),
  ...['true', 'false'].map((includeHidden) =>
    scenario(
      'tracks.tags.detail',
      200,
      `takes ${includeHidden} for whether hidden ones are wanted`,
      ofShared(fullTrack, () => ({ query: { includeHidden } })),
    ),
  ),
  scenario(
    'tracks.tags.detail',
    200,
    'goes by the first of several',
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
      `refuses ${JSON.stringify(includeHidden)} for whether hidden ones are wanted`,
      ofNewTrack({ query: { includeHidden } }),
    ),
  ),
]
