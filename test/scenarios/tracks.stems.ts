import { defineScenario } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createBrokenWav, createWav } from './fixtures/files.ts'
import { addStem, getStemmedTrack } from './fixtures/stems.ts'
import {
  createOwnedTrack,
  createProcessedTrack,
  createPromotedTrack,
  getToneTrack,
  readAfterProcessing,
  withSharedTrack,
} from './fixtures/tracks.ts'

const lanes = ['pending', 'processing', 'ready', 'failed', 'skipped'] as const

const setLane = (context: ScenarioContext, trackId: string, status: string) =>
  context.changeRows(
    `insert into processing_lanes (track_id, lane, status) values ($1, 'stems', $2)
      on conflict (track_id, lane) do update set status = excluded.status`,
    [trackId, status],
  )

type ChangedTrack = Awaited<ReturnType<typeof createProcessedTrack>>

const readStems = (track: ChangedTrack) => {
  const { settle, reads } = readAfterProcessing(track)
  const request = { as: track.owner, params: track.params }
  return {
    settle,
    reads: [
      ...reads,
      { label: 'tracks.stems.list', ...request },
      { label: 'tracks.media-assets.list', ...request },
    ],
  } as const
}

const addStemOfEachVersion = async (context: ScenarioContext, track: ChangedTrack) => {
  const { trackId } = track.params
  await addStem(context, { trackId, kind: 'drums' })
  const [first, second] = track.versionIds
  await addStem(context, { trackId, versionId: first, kind: 'vocals' })
  await addStem(context, { trackId, versionId: second, kind: 'bass' })
}

export const trackStems = [
  ...lanes.map((status) =>
    defineScenario(
      'tracks.stems.list',
      200,
      `returns no stems while separation is ${status}`,
      async (context) => {
        const { owner, params } = await createProcessedTrack(context, createBrokenWav())
        await setLane(context, params.trackId, status)
        return { as: owner, params }
      },
    ),
  ),
  ...lanes.map((status) =>
    defineScenario(
      'tracks.stems.list',
      200,
      `returns an uploaded stem while separation is ${status}`,
      async (context) => {
        const { owner, params } = await createOwnedTrack(context)
        await addStem(context, { ...params, kind: 'other' })
        await setLane(context, params.trackId, status)
        return { as: owner, params }
      },
    ),
  ),
  ...(['pending', 'skipped'] as const).map((status) =>
    defineScenario(
      'tracks.stems.list',
      200,
      `returns a track without audio that is ${status}`,
      async (context) => {
        const { owner, params } = await createOwnedTrack(context)
        await setLane(context, params.trackId, status)
        return { as: owner, params }
      },
    ),
  ),
  defineScenario(
    'tracks.stems.list',
    200,
    'returns a track whose audio is not separated',
    withSharedTrack(getToneTrack),
  ),
  defineScenario(
    'tracks.stems.list',
    200,
    'returns the oldest stems of the current version first, with uploaded ones',
    withSharedTrack(getStemmedTrack),
  ),
  defineScenario(
    'tracks.media-assets.list',
    200,
    'returns a track with stems',
    withSharedTrack(getStemmedTrack),
  ),
  ...(['tracks.playback-url.issue', 'tracks.download-url.issue', 'tracks.versions.list'] as const).map(
    (label) =>
      defineScenario(
        label,
        200,
        'returns the audio of a version with stems',
        withSharedTrack(getStemmedTrack),
      ),
  ),
  defineScenario(
    'tracks.download-url.issue',
    200,
    'returns the URL of a stem',
    withSharedTrack(getStemmedTrack, ({ stemFileId }) => ({ query: { assetId: stemFileId } })),
  ),
  defineScenario(
    'tracks.download-url.issue',
    404,
    'does not find a stem of another track',
    withSharedTrack(getStemmedTrack, ({ stemFileId, otherId }) => ({
      params: { trackId: otherId },
      query: { assetId: stemFileId },
    })),
  ),
  defineScenario('tracks.versions.promote', 200, 'shows the stems of the new version', async (context) => {
    const track = await createProcessedTrack(context, createWav(), createWav(1, 'second.wav'))
    await addStemOfEachVersion(context, track)
    const [, versionId = ''] = track.versionIds
    return { as: track.owner, params: { ...track.params, versionId }, ...readStems(track) }
  }),
  defineScenario('tracks.versions.remove', 200, 'removes the stems of the version', async (context) => {
    const track = await createPromotedTrack(context)
    await addStemOfEachVersion(context, track)
    const params = { ...track.params, versionId: track.versionId }
    return { as: track.owner, params, ...readStems(track) }
  }),
]
