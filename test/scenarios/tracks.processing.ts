import { defineScenario } from '#migration/parity/run/scenario.ts'
import { createBrokenWav, createWav } from './fixtures/files.ts'
import {
  type createOwnedTrack,
  createProcessedTrack,
  getFailedTrack,
  getFullTrack,
  getHalfFailedTrack,
  getPromotedTrack,
  getToneTrack,
  readAfterProcessing,
  waitForProcessing,
  withNewTrack,
  withSharedTrack,
} from './fixtures/tracks.ts'

const status = 'tracks.processing.status'
const retry = 'tracks.processing.retry'

/** Creates a track whose valid second version was promoted and removed, so its failed original is current again. */
const createTrackWithFailedOriginal = async (context: Parameters<typeof createOwnedTrack>[0]) => {
  const track = await createProcessedTrack(context, createBrokenWav(), createWav())
  const params = { ...track.params, versionId: track.versionIds[1] ?? '' }
  await track.owner.call('tracks.versions.promote', { params })
  await waitForProcessing(track)
  await track.owner.call('tracks.versions.remove', { params })
  await waitForProcessing(track)
  return track
}

export const trackProcessing = [
  defineScenario(status, 200, 'returns a track without files', withNewTrack({})),
  defineScenario(status, 200, 'returns a track that is ready', withSharedTrack(getToneTrack)),
  defineScenario(status, 200, 'returns a track with many files', withSharedTrack(getFullTrack)),
  defineScenario(status, 200, 'returns a track that failed', withSharedTrack(getFailedTrack)),
  defineScenario(
    status,
    200,
    'returns the last run and the state of the current version',
    withSharedTrack(getHalfFailedTrack),
  ),
  defineScenario(status, 200, 'returns a track with a promoted version', withSharedTrack(getPromotedTrack)),
  defineScenario(status, 200, 'returns a track whose failed original is current again', async (context) => {
    const { owner, params } = await createTrackWithFailedOriginal(context)
    return { as: owner, params }
  }),
  defineScenario(status, 200, 'returns a track that was analysed again', async (context) => {
    const track = await createProcessedTrack(context, createWav())
    await track.owner.call(retry, { params: track.params })
    await waitForProcessing(track)
    return { as: track.owner, params: track.params }
  }),

  defineScenario(retry, 202, 'starts another analysis and ignores the body', async (context) => {
    const track = await createProcessedTrack(context, createWav())
    return { as: track.owner, params: track.params, text: '{"', ...readAfterProcessing(track) }
  }),
  defineScenario(retry, 200, 'returns 200 if an analysis is already running', async (context) => {
    const { owner, params } = await createProcessedTrack(context, createWav())
    await owner.call(retry, { params })
    return { as: owner, params }
  }),
  defineScenario(retry, 409, 'requires audio', withNewTrack({})),
  defineScenario(retry, 409, 'requires valid audio', withSharedTrack(getFailedTrack)),
]
