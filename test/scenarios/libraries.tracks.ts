import { defineScenario } from '#migration/parity/run/scenario.ts'
import { createAcceptedShare, createLibrary, createTrack } from './fixtures/libraries.ts'

export const libraryTracks = [
  defineScenario('libraries.tracks.add', 200, 'appends a track', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await createLibrary(owner)
    const params = { libraryId }
    const first = await createTrack(owner, 'First')
    await owner.call('libraries.tracks.add', { params, body: { trackId: first.id } })
    return { as: owner, params, body: { trackId: (await createTrack(owner, 'Second')).id } }
  }),
  defineScenario(
    'libraries.tracks.add',
    200,
    'returns the existing entry for a track that is already in the library',
    async ({ account }) => {
      const owner = await account()
      const { id: libraryId } = await createLibrary(owner)
      const body = { trackId: (await createTrack(owner)).id }
      await owner.call('libraries.tracks.add', { params: { libraryId }, body })
      return { as: owner, params: { libraryId }, body }
    },
  ),
  defineScenario('libraries.tracks.add', 200, 'appends a track after gaps', async ({ account }) => {
    const owner = await account()
    const params = { libraryId: (await createLibrary(owner)).id }
    const trackIds = []
    for (const title of ['First', 'Second', 'Third']) {
      const { id: trackId } = await createTrack(owner, title)
      await owner.call('libraries.tracks.add', { params, body: { trackId } })
      trackIds.push(trackId)
    }
    for (const trackId of trackIds.slice(0, 2))
      await owner.call('libraries.tracks.remove', { params: { ...params, trackId } })
    return { as: owner, params, body: { trackId: (await createTrack(owner, 'Fourth')).id } }
  }),
  defineScenario('libraries.tracks.add', 200, 'adds a track from another library', async ({ account }) => {
    const owner = await account()
    const another = { libraryId: (await createLibrary(owner, 'Another')).id }
    await owner.call('libraries.tracks.add', {
      params: another,
      body: { trackId: (await createTrack(owner, 'First')).id },
    })
    const body = { trackId: (await createTrack(owner, 'Second')).id }
    await owner.call('libraries.tracks.add', { params: another, body })
    return { as: owner, params: { libraryId: (await createLibrary(owner)).id }, body }
  }),
  ...(['editor', 'admin'] as const).flatMap((accessType) =>
    (['owner', 'guest'] as const).map((trackOwner) =>
      defineScenario(
        'libraries.tracks.add',
        200,
        `lets ${accessType}s add a track of the ${trackOwner}`,
        async (context) => {
          const invitation = await createAcceptedShare(context, accessType)
          const track = await createTrack(invitation[trackOwner])
          return {
            as: invitation.guest,
            params: { libraryId: invitation.library.id },
            body: { trackId: track.id },
          }
        },
      ),
    ),
  ),
  defineScenario('libraries.tracks.add', 403, 'forbids a viewer', async (context) => {
    const { guest, library } = await createAcceptedShare(context, 'viewer')
    return { as: guest, params: { libraryId: library.id }, body: {} }
  }),
  defineScenario(
    'libraries.tracks.add',
    404,
    'does not find a track of another account',
    async ({ account }) => {
      const owner = await account()
      const { id: libraryId } = await createLibrary(owner)
      const { id: trackId } = await createTrack(await account())
      return { as: owner, params: { libraryId }, body: { trackId } }
    },
  ),
  defineScenario(
    'libraries.tracks.add',
    404,
    "does not let the owner add a guest's track",
    async (context) => {
      const { owner, guest, library } = await createAcceptedShare(context, 'editor')
      const { id: trackId } = await createTrack(guest)
      return { as: owner, params: { libraryId: library.id }, body: { trackId } }
    },
  ),
  defineScenario(
    'libraries.tracks.add',
    404,
    "does not let an editor add another account's track",
    async (context) => {
      const { guest, library } = await createAcceptedShare(context, 'editor')
      const { id: trackId } = await createTrack(await context.account())
      return { as: guest, params: { libraryId: library.id }, body: { trackId } }
    },
  ),
  ...[
    ['a missing track', {}],
    ['a number as the track id', { trackId: 7 }],
    ['a malformed id', { trackId: 'no id' }],
    ['an empty id', { trackId: '' }],
  ].map(([label, body]) =>
    defineScenario('libraries.tracks.add', 400, `rejects ${label}`, async ({ account }) => {
      const owner = await account()
      const { id: libraryId } = await createLibrary(owner)
      return { as: owner, params: { libraryId }, body }
    }),
  ),

  defineScenario('libraries.tracks.remove', 204, 'removes a track', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await createLibrary(owner)
    const { id: trackId } = await createTrack(owner)
    await owner.call('libraries.tracks.add', { params: { libraryId }, body: { trackId } })
    return { as: owner, params: { libraryId, trackId } }
  }),
  defineScenario(
    'libraries.tracks.remove',
    204,
    'removes only this track, and only from this library',
    async ({ account }) => {
      const owner = await account()
      const params = { libraryId: (await createLibrary(owner)).id }
      const another = { libraryId: (await createLibrary(owner, 'Another')).id }
      const { id: trackId } = await createTrack(owner, 'First')
      const { id: secondId } = await createTrack(owner, 'Second')
      for (const body of [{ trackId }, { trackId: secondId }])
        for (const library of [params, another])
          await owner.call('libraries.tracks.add', { params: library, body })
      return {
        as: owner,
        params: { ...params, trackId },
        reads: [
          { label: 'libraries.list', as: owner },
          { label: 'tracks.detail', as: owner, params: { trackId } },
        ],
      }
    },
  ),
  defineScenario(
    'libraries.tracks.remove',
    204,
    'lets the owner remove a track that a guest added',
    async (context) => {
      const { owner, guest, library } = await createAcceptedShare(context, 'editor')
      const { id: trackId } = await createTrack(guest)
      const params = { libraryId: library.id }
      await guest.call('libraries.tracks.add', { params, body: { trackId } })
      return { as: owner, params: { ...params, trackId } }
    },
  ),
  defineScenario(
    'libraries.tracks.remove',
    204,
    'lets an editor remove a track that the owner added',
    async (context) => {
      const { owner, guest, library } = await createAcceptedShare(context, 'editor')
      const { id: trackId } = await createTrack(owner)
      const params = { libraryId: library.id }
      await owner.call('libraries.tracks.add', { params, body: { trackId } })
      return { as: guest, params: { ...params, trackId } }
    },
  ),
  defineScenario('libraries.tracks.remove', 204, 'lets an editor remove their own track', async (context) => {
    const { guest, library } = await createAcceptedShare(context, 'editor')
    const { id: trackId } = await createTrack(guest)
    const params = { libraryId: library.id }
    await guest.call('libraries.tracks.add', { params, body: { trackId } })
    return { as: guest, params: { ...params, trackId } }
  }),
  ...(['editor', 'admin'] as const).map((accessType) =>
    defineScenario(
      'libraries.tracks.remove',
      404,
      `does not let an ${accessType} remove the track of another guest`,
      async (context) => {
        const { owner, guest, library } = await createAcceptedShare(context, accessType)
        const params = { libraryId: library.id }
        const other = await context.account()
        const share = await owner.call('libraries.shares.create', {
          params,
          body: { targetUserId: other.accountId, accessType: 'editor' },
        })
        await other.call('libraries.shares.update', {
          params: { ...params, shareId: share.id },
          body: { inviteStatus: 'accepted' },
        })
        const { id: trackId } = await createTrack(other)
        await other.call('libraries.tracks.add', { params, body: { trackId } })
        return { as: guest, params: { ...params, trackId } }
      },
    ),
  ),
  defineScenario('libraries.tracks.remove', 403, 'forbids a viewer', async (context) => {
    const { owner, guest, library } = await createAcceptedShare(context, 'viewer')
    const { id: trackId } = await createTrack(owner)
    const params = { libraryId: library.id }
    await owner.call('libraries.tracks.add', { params, body: { trackId } })
    return { as: guest, params: { ...params, trackId } }
  }),
  defineScenario(
    'libraries.tracks.remove',
    404,
    'does not find a track that is not in the library',
    async ({ account }) => {
      const owner = await account()
      const { id: libraryId } = await createLibrary(owner)
      const { id: trackId } = await createTrack(owner)
      return { as: owner, params: { libraryId, trackId } }
    },
  ),
  defineScenario(
    'libraries.tracks.remove',
    404,
    'does not find a track that was removed',
    async ({ account }) => {
      const owner = await account()
      const { id: libraryId } = await createLibrary(owner)
      const { id: trackId } = await createTrack(owner)
      await owner.call('libraries.tracks.add', { params: { libraryId }, body: { trackId } })
      await owner.call('libraries.tracks.remove', { params: { libraryId, trackId } })
      return { as: owner, params: { libraryId, trackId } }
    },
  ),
]
