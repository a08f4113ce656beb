import { scenario } from '../contract-run/scenario.ts'
import { aBrokenWav, aWav } from './fixtures/files.ts'
import {
  type anOwner,
  failedTrack,
  fullTrack,
  halfFailedTrack,
  ofNewTrack,
  ofShared,
  processedTrack,
  promotedTrack,
  settled,
  toneTrack,
} from './fixtures/tracks.ts'

const status = 'tracks.processing.status'
const retry = 'tracks.processing.retry'

/** A track whose valid second version was promoted and removed, so that its failed original is current again. */
const createTrackWithFailedOriginal = async (context: Parameters<typeof anOwner>[0]) => {
  const track = await processedTrack(context, aBrokenWav(), aWav())
  const params = { ...track.params, versionId: track.versionIds[1] ?? '' }
  await track.owner.call('tracks.versions.promote', { params })
  await settled(track)
  await track.owner.call('tracks.versions.remove', { params })
  await settled(track)
  return track
}

export const trackProcessing = [
  scenario(status, 200, 'returns a track without files', ofNewTrack({})),
  scenario(status, 200, 'returns a track that is ready', ofShared(toneTrack)),
  scenario(status, 200, 'returns a track with many files', ofShared(fullTrack)),
  scenario(status, 200, 'returns a track that failed', ofShared(failedTrack)),
  scenario(
    status,
    200,
    'returns the last run and the state of the current version',
    ofShared(halfFailedTrack),
  ),
  scenario(status, 200, 'returns a track with a promoted version', ofShared(promotedTrack)),
  scenario(status, 200, 'returns a track whose failed original is current again', async (context) => {
    const { owner, params } = await createTrackWithFailedOriginal(context)
    return { as: owner, params }
  }),
  scenario(status, 200, 'returns a track that was analysed again', async (context) => {
    const track = await processedTrack(context, aWav())
    await track.owner.call(retry, { params: track.params })
    await settled(track)
    return { as: track.owner, params: track.params }
  }),

  scenario(retry, 202, 'starts another analysis and ignores the body', async (context) => {
    const { owner, params } = await processedTrack(context, aWav())
    return { as: owner, params, text: '{"' }
  }),
  scenario(retry, 200, 'returns 200 if an analysis is already running', async (context) => {
    const { owner, params } = await processedTrack(context, aWav())
    await owner.call(retry, { params })
    return { as: owner, params }
  }),
  scenario(retry, 409, 'requires audio', ofNewTrack({})),
  scenario(retry, 409, 'requires valid audio', ofShared(failedTrack)),
]
