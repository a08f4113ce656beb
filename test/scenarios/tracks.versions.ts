import { defineScenario } from '#migration/parity/run/scenario.ts'
import { createBrokenWav, createWav } from './fixtures/files.ts'
import { createTrack } from './fixtures/libraries.ts'
import {
  createOwnedTrack,
  createProcessedTrack,
  createPromotedTrack,
  getFailedTrack,
  getHalfFailedTrack,
  getPromotedTrack,
  getToneTrack,
  readAfterProcessing,
  uploadWithoutFinalizing,
  waitForProcessing,
  withNewTrack,
  withSharedTrack,
} from './fixtures/tracks.ts'

const unknownId = '0190aaaa-0000-7000-8000-000000000000'

const withVersion =
  (index: number) =>
  ({ params, versionIds }: { params: { trackId: string }; versionIds: readonly string[] }) => ({
    params: { ...params, versionId: versionIds[index] ?? '' },
  })

const changes = ['tracks.versions.promote', 'tracks.versions.remove'] as const

/** Reads the last run too, which would be new if the request had started one. */
const promoteCurrentVersion = (track: Awaited<ReturnType<typeof getToneTrack>>) => ({
  ...withVersion(0)(track),
  reads: [{ label: 'tracks.processing.status', as: track.owner, params: track.params }],
})

export const trackVersions = [
  defineScenario('tracks.versions.list', 200, 'returns an empty list', withNewTrack({})),
  defineScenario('tracks.versions.list', 200, 'omits uploads that are not finalized', async (context) => {
    const track = await createOwnedTrack(context)
    await uploadWithoutFinalizing(track, 'tracks.versions.upload', createWav())
    return { as: track.owner, params: track.params }
  }),
  defineScenario(
    'tracks.versions.list',
    200,
    'returns the properties of analysed audio',
    withSharedTrack(getToneTrack),
  ),
  defineScenario(
    'tracks.versions.list',
    200,
    'returns a version that failed',
    withSharedTrack(getFailedTrack),
  ),
  defineScenario(
    'tracks.versions.list',
    200,
    'lists the versions by number',
    withSharedTrack(getHalfFailedTrack),
  ),
  defineScenario('tracks.versions.list', 200, 'never reuses a version number', async (context) => {
    const track = await createProcessedTrack(context, createWav(), createBrokenWav())
    const { owner, params } = track
    await owner.call('tracks.versions.remove', withVersion(1)(track))
    const uploaded = await uploadWithoutFinalizing(track, 'tracks.versions.upload', createBrokenWav())
    await owner.call('tracks.uploads.finalize', { params: uploaded })
    await waitForProcessing(track)
    return { as: owner, params }
  }),

  defineScenario('tracks.versions.promote', 200, 'makes another version the current one', async (context) => {
    const track = await createProcessedTrack(context, createWav(), createWav(1, 'second.wav'))
    return { as: track.owner, ...withVersion(1)(track), ...readAfterProcessing(track) }
  }),
  defineScenario(
    'tracks.versions.promote',
    200,
    'changes nothing for the current version',
    withSharedTrack(getToneTrack, promoteCurrentVersion),
  ),
  defineScenario(
    'tracks.versions.promote',
    200,
    'changes nothing for a current version that failed',
    withSharedTrack(getFailedTrack, promoteCurrentVersion),
  ),
  defineScenario(
    'tracks.versions.promote',
    409,
    'rejects a version that is not ready',
    withSharedTrack(getHalfFailedTrack, withVersion(1)),
  ),

  defineScenario('tracks.versions.remove', 200, 'removes a version that is not current', async (context) => {
    const track = await createProcessedTrack(context, createWav(), createBrokenWav())
    return { as: track.owner, ...withVersion(1)(track), ...readAfterProcessing(track) }
  }),
  defineScenario(
    'tracks.versions.remove',
    200,
    'makes the original the current version again',
    async (context) => {
      const track = await createPromotedTrack(context)
      const params = { ...track.params, versionId: track.versionId }
      return { as: track.owner, params, ...readAfterProcessing(track) }
    },
  ),
  defineScenario(
    'tracks.versions.remove',
    200,
    'makes the original the current version, not the one before',
    async (context) => {
      const track = await createProcessedTrack(
        context,
        createWav(),
        createWav(1, 'second.wav'),
        createWav(1.5, 'third.wav'),
      )
      const { params } = withVersion(2)(track)
      await track.owner.call('tracks.versions.promote', { params })
      await waitForProcessing(track)
      return { as: track.owner, params, ...readAfterProcessing(track) }
    },
  ),
  defineScenario(
    'tracks.versions.remove',
    409,
    'rejects the original',
    withSharedTrack(getToneTrack, (track) => ({ ...withVersion(0)(track), text: '{"' })),
  ),
  defineScenario(
    'tracks.versions.remove',
    409,
    'rejects an original that is not current',
    withSharedTrack(getPromotedTrack, withVersion(0)),
  ),
  defineScenario(
    'tracks.versions.remove',
    409,
    'rejects an original that failed',
    withSharedTrack(getFailedTrack, withVersion(0)),
  ),

  ...changes.flatMap((label) => [
    ...[unknownId, 'no id'].map((versionId) =>
      defineScenario(label, 404, `does not find version ${JSON.stringify(versionId)}`, async (context) => {
        const { owner, params } = await createOwnedTrack(context)
        return { as: owner, params: { ...params, versionId } }
      }),
    ),
    defineScenario(label, 404, 'does not find a version of another track', async (context) => {
      const { owner, versionIds } = await getToneTrack(context)
      const { id: trackId } = await createTrack(owner, 'Another')
      return { as: owner, params: { trackId, versionId: versionIds[0] ?? '' } }
    }),
  ]),
]
