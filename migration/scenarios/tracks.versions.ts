import { scenario } from '../contract-run/scenario.ts'
import { aBrokenWav, aWav } from './fixtures/files.ts'
import {
  anOwner,
  failedTrack,
  halfFailedTrack,
  newPromotedTrack,
  ofNewTrack,
  ofShared,
  processedTrack,
  putFile,
  settled,
  toneTrack,
} from './fixtures/tracks.ts'

const absent = '0190aaaa-0000-7000-8000-000000000000'

const ofVersion =
  (place: number) =>
  ({ params, versionIds }: { params: { trackId: string }; versionIds: readonly string[] }) => ({
    params: { ...params, versionId: versionIds[place] ?? '' },
  })

const changes = ['tracks.versions.promote', 'tracks.versions.remove'] as const

export const trackVersions = [
  scenario('tracks.versions.list', 200, 'lists nothing', ofNewTrack({})),
  scenario('tracks.versions.list', 200, 'leaves out what is not finalized', async (world) => {
    const owned = await anOwner(world)
    await putFile(owned, 'tracks.versions.upload', aWav())
    return { as: owned.owner, params: owned.params }
  }),
  scenario('tracks.versions.list', 200, 'shows what was measured', ofShared(toneTrack)),
  scenario('tracks.versions.list', 200, 'shows what failed', ofShared(failedTrack)),
  scenario('tracks.versions.list', 200, 'lists them by number', ofShared(halfFailedTrack)),
  scenario('tracks.versions.list', 200, 'never gives a number twice', async (world) => {
    const track = await processedTrack(world, aWav(), aBrokenWav())
    const { owner, params } = track
    await owner.call('tracks.versions.remove', ofVersion(1)(track))
    const uploaded = await putFile(track, 'tracks.versions.upload', aBrokenWav())
    await owner.call('tracks.uploads.finalize', { params: uploaded })
    await settled(track)
    return { as: owner, params }
  }),

  scenario('tracks.versions.promote', 200, 'makes another version the current one', async (world) => {
    const track = await processedTrack(world, aWav(), aWav(1, 'second.wav'))
    return { as: track.owner, ...ofVersion(1)(track) }
  }),
  scenario(
    'tracks.versions.promote',
    200,
    'changes nothing where it is the current one',
    ofShared(toneTrack, ofVersion(0)),
  ),
  scenario(
    'tracks.versions.promote',
    200,
    'leaves even a failed one where it is',
    ofShared(failedTrack, ofVersion(0)),
  ),
  scenario(
    'tracks.versions.promote',
    409,
    'refuses one that is not ready',
    ofShared(halfFailedTrack, ofVersion(1)),
  ),

  scenario('tracks.versions.remove', 200, 'removes one that is not current', async (world) => {
    const track = await processedTrack(world, aWav(), aBrokenWav())
    return { as: track.owner, ...ofVersion(1)(track) }
  }),
  scenario('tracks.versions.remove', 200, 'goes back to the original', async (world) => {
    const { owner, params, versionId } = await newPromotedTrack(world)
    return { as: owner, params: { ...params, versionId } }
  }),
  scenario(
    'tracks.versions.remove',
    409,
    'refuses the original',
    ofShared(toneTrack, (track) => ({ ...ofVersion(0)(track), text: '{"' })),
  ),
  scenario(
    'tracks.versions.remove',
    409,
    'refuses the original that failed',
    ofShared(failedTrack, ofVersion(0)),
  ),

  ...changes.flatMap((label) => [
    ...[absent, 'no id'].map((versionId) =>
      scenario(label, 404, `knows no version ${versionId}`, async (world) => {
        const { owner, params } = await anOwner(world)
        return { as: owner, params: { ...params, versionId } }
      }),
    ),
    scenario(label, 404, 'does not know that of another track', async (world) => {
      const { owner, versionIds } = await toneTrack(world)
      const { id: trackId } = await owner.call('tracks.create', {
        body: { title: 'Another', artist: 'Alice' },
      })
      return { as: owner, params: { trackId, versionId: versionIds[0] ?? '' } }
    }),
  ]),
]
