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

/** A track whose owner has had a good second version and is back at an original that never was. */
const backToFailure = async (world: Parameters<typeof anOwner>[0]) => {
  const track = await processedTrack(world, aBrokenWav(), aWav())
  const params = { ...track.params, versionId: track.versionIds[1] ?? '' }
  await track.owner.call('tracks.versions.promote', { params })
  await settled(track)
  await track.owner.call('tracks.versions.remove', { params })
  await settled(track)
  return track
}

export const trackProcessing = [
  scenario(status, 200, 'shows that nothing has begun', ofNewTrack({})),
  scenario(status, 200, 'shows a track that is ready', ofShared(toneTrack)),
  scenario(status, 200, 'shows all of its files', ofShared(fullTrack)),
  scenario(status, 200, 'shows a track that failed', ofShared(failedTrack)),
  scenario(status, 200, 'speaks of the last run and of what is current', ofShared(halfFailedTrack)),
  scenario(status, 200, 'shows a track that was promoted', ofShared(promotedTrack)),
  scenario(status, 200, 'shows a track that is back at an original that failed', async (world) => {
    const { owner, params } = await backToFailure(world)
    return { as: owner, params }
  }),
  scenario(status, 200, 'shows a track that was analysed once more', async (world) => {
    const track = await processedTrack(world, aWav())
    await track.owner.call(retry, { params: track.params })
    await settled(track)
    return { as: track.owner, params: track.params }
  }),

  scenario(retry, 202, 'has the audio analysed once more, whatever is sent along', async (world) => {
    const { owner, params } = await processedTrack(world, aWav())
    return { as: owner, params, text: '{"' }
  }),
  scenario(retry, 200, 'says so where it is analysed already', async (world) => {
    const { owner, params } = await processedTrack(world, aWav())
    await owner.call(retry, { params })
    return { as: owner, params }
  }),
  scenario(retry, 409, 'needs audio', ofNewTrack({})),
  scenario(retry, 409, 'needs audio that is good', ofShared(failedTrack)),
]
