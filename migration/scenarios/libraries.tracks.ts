import { scenario } from '../contract-run/scenario.ts'
import { aGuest, aLibrary, aTrack } from './fixtures/libraries.ts'

export const libraryTracks = [
  scenario('libraries.tracks.add', 200, 'appends a track', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await aLibrary(owner)
    const params = { libraryId }
    const first = await aTrack(owner, 'First')
    await owner.call('libraries.tracks.add', { params, body: { trackId: first.id } })
    return { as: owner, params, body: { trackId: (await aTrack(owner, 'Second')).id } }
  }),
  scenario('libraries.tracks.add', 200, 'answers what is there already', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await aLibrary(owner)
    const body = { trackId: (await aTrack(owner)).id }
    await owner.call('libraries.tracks.add', { params: { libraryId }, body })
    return { as: owner, params: { libraryId }, body }
  }),
  ...(['editor', 'admin'] as const).flatMap((grade) =>
    (['owner', 'guest'] as const).map((whose) =>
      scenario('libraries.tracks.add', 200, `lets ${grade}s add a track of the ${whose}`, async (world) => {
        const invited = await aGuest(world, grade)
        const track = await aTrack(invited[whose])
        return { as: invited.guest, params: { libraryId: invited.library.id }, body: { trackId: track.id } }
      }),
    ),
  ),
  scenario('libraries.tracks.add', 403, 'forbids it to a viewer', async (world) => {
    const { guest, library } = await aGuest(world, 'viewer')
    return { as: guest, params: { libraryId: library.id }, body: {} }
  }),
  scenario('libraries.tracks.add', 404, 'finds no track of a stranger', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await aLibrary(owner)
    const { id: trackId } = await aTrack(await account())
    return { as: owner, params: { libraryId }, body: { trackId } }
  }),
  scenario('libraries.tracks.add', 404, 'finds no track of the guest for the owner', async (world) => {
    const { owner, guest, library } = await aGuest(world, 'editor')
    const { id: trackId } = await aTrack(guest)
    return { as: owner, params: { libraryId: library.id }, body: { trackId } }
  }),
  ...[
    ['no track', {}],
    ['a number', { trackId: 7 }],
    ['an id that can be none', { trackId: 'no id' }],
    ['an empty id', { trackId: '' }],
  ].map(([what, body]) =>
    scenario('libraries.tracks.add', 400, `refuses ${what}`, async ({ account }) => {
      const owner = await account()
      const { id: libraryId } = await aLibrary(owner)
      return { as: owner, params: { libraryId }, body }
    }),
  ),

  scenario('libraries.tracks.remove', 204, 'takes a track out', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await aLibrary(owner)
    const { id: trackId } = await aTrack(owner)
    await owner.call('libraries.tracks.add', { params: { libraryId }, body: { trackId } })
    return { as: owner, params: { libraryId, trackId } }
  }),
  scenario('libraries.tracks.remove', 204, 'lets the owner take out what a guest added', async (world) => {
    const { owner, guest, library } = await aGuest(world, 'editor')
    const { id: trackId } = await aTrack(guest)
    const params = { libraryId: library.id }
    await guest.call('libraries.tracks.add', { params, body: { trackId } })
    return { as: owner, params: { ...params, trackId } }
  }),
  scenario('libraries.tracks.remove', 204, 'lets an editor take out what the owner added', async (world) => {
    const { owner, guest, library } = await aGuest(world, 'editor')
    const { id: trackId } = await aTrack(owner)
    const params = { libraryId: library.id }
    await owner.call('libraries.tracks.add', { params, body: { trackId } })
    return { as: guest, params: { ...params, trackId } }
  }),
  scenario('libraries.tracks.remove', 403, 'forbids it to a viewer', async (world) => {
    const { owner, guest, library } = await aGuest(world, 'viewer')
    const { id: trackId } = await aTrack(owner)
    const params = { libraryId: library.id }
    await owner.call('libraries.tracks.add', { params, body: { trackId } })
    return { as: guest, params: { ...params, trackId } }
  }),
  scenario(
    'libraries.tracks.remove',
    404,
    'finds no track that is not in the library',
    async ({ account }) => {
      const owner = await account()
      const { id: libraryId } = await aLibrary(owner)
      const { id: trackId } = await aTrack(owner)
      return { as: owner, params: { libraryId, trackId } }
    },
  ),
  scenario('libraries.tracks.remove', 404, 'takes it out once', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await aLibrary(owner)
    const { id: trackId } = await aTrack(owner)
    await owner.call('libraries.tracks.add', { params: { libraryId }, body: { trackId } })
    await owner.call('libraries.tracks.remove', { params: { libraryId, trackId } })
    return { as: owner, params: { libraryId, trackId } }
  }),
]
