import { defineScenario } from '#migration/parity/run/scenario.ts'
import {
  createAcceptedShare,
  createLibrary,
  createLibraryNamed,
  createTrack,
  shareAnotherLibrary,
} from './fixtures/libraries.ts'

/** Scenarios for changing and removing libraries. */
export const libraryChanges = [
  ...[
    ['changes the description', { description: 'For the road.\nAt night.' }],
    ['accepts an empty description', { description: '' }],
    ['accepts null if there is no description', { description: null }],
    ['keeps the spaces and tabs of a description', { description: ' For\tthe road \n' }],
    [
      'accepts a description of 2,000 characters outside the basic multilingual plane',
      { description: '\u{1F3B5}'.repeat(2000) },
    ],
  ].map(([title, body]) =>
    defineScenario('libraries.update', 200, String(title), async ({ account }) => {
      const owner = await account()
      const { id: libraryId } = await createLibrary(owner)
      return { as: owner, params: { libraryId }, body }
    }),
  ),
  ...[
    ['clears the description with null', null],
    ['replaces the description with an empty one', ''],
  ].map(([title, description]) =>
    defineScenario('libraries.update', 200, String(title), async ({ account }) => {
      const owner = await account()
      const params = { libraryId: (await createLibrary(owner)).id }
      await owner.call('libraries.update', { params, body: { description: 'For the road' } })
      return { as: owner, params, body: { description } }
    }),
  ),
  defineScenario(
    'libraries.update',
    200,
    'updates the time even if the name is the same',
    async ({ account, unique }) => {
      const owner = await account()
      const { id: libraryId } = await createLibraryNamed(owner, unique('Demos'))
      return { as: owner, params: { libraryId }, body: { name: unique('Demos') } }
    },
  ),
  defineScenario('libraries.update', 200, 'changes the name', async ({ account, unique }) => {
    const owner = await account()
    const { id: libraryId } = await createLibrary(owner)
    return { as: owner, params: { libraryId }, body: { name: ` ${unique('Long Drives')} ` } }
  }),
  defineScenario(
    'libraries.update',
    200,
    'changes the name and keeps the description',
    async ({ account, unique }) => {
      const owner = await account()
      const params = { libraryId: (await createLibrary(owner)).id }
      await owner.call('libraries.update', { params, body: { description: 'For the road' } })
      return { as: owner, params, body: { name: unique('Long Drives') } }
    },
  ),
  defineScenario('libraries.update', 200, 'changes name and description', async ({ account, unique }) => {
    const owner = await account()
    const { id: libraryId } = await createLibrary(owner)
    return { as: owner, params: { libraryId }, body: { name: unique('Both'), description: 'at once' } }
  }),
  defineScenario(
    'libraries.update',
    200,
    'accepts its own name in a different letter case',
    async ({ account, unique }) => {
      const owner = await account()
      const { id: libraryId } = await createLibraryNamed(owner, unique('Night Drives'))
      return { as: owner, params: { libraryId }, body: { name: unique('NIGHT DRIVES') } }
    },
  ),
  defineScenario(
    'libraries.update',
    200,
    "accepts the name of another account's library",
    async ({ account, unique }) => {
      const owner = await account()
      await createLibraryNamed(await account(), unique('Demos'))
      const { id: libraryId } = await createLibrary(owner)
      return { as: owner, params: { libraryId }, body: { name: unique('Demos') } }
    },
  ),
  defineScenario('libraries.update', 200, 'lets an admin change the library', async (context) => {
    const { guest, library } = await createAcceptedShare(context, 'admin')
    const name = context.unique('By the admin')
    return { as: guest, params: { libraryId: library.id }, body: { name } }
  }),
  defineScenario(
    'libraries.update',
    200,
    'lets an admin who is a viewer of another library change the library',
    async (context) => {
      const { owner, guest } = await createAcceptedShare(context, 'viewer')
      const { libraryId } = await shareAnotherLibrary(owner, guest, 'admin')
      return { as: guest, params: { libraryId }, body: { name: context.unique('By the admin') } }
    },
  ),
  defineScenario(
    'libraries.update',
    200,
    'lets an admin change the library after an earlier share was revoked',
    async (context) => {
      const { owner, guest, library, params } = await createAcceptedShare(context, 'viewer')
      await owner.call('libraries.shares.revoke', { params })
      const share = await owner.call('libraries.shares.create', {
        params: { libraryId: library.id },
        body: { targetUserId: guest.accountId, accessType: 'admin' },
      })
      await guest.call('libraries.shares.update', {
        params: { ...params, shareId: share.id },
        body: { inviteStatus: 'accepted' },
      })
      const name = context.unique('By the admin')
      return { as: guest, params: { libraryId: library.id }, body: { name } }
    },
  ),
  defineScenario(
    'libraries.update',
    403,
    'forbids a viewer who is an admin of another library',
    async (context) => {
      const { owner, guest, library } = await createAcceptedShare(context, 'viewer')
      await shareAnotherLibrary(owner, guest, 'admin')
      return { as: guest, params: { libraryId: library.id }, body: { description: 'Mine' } }
    },
  ),
  defineScenario('libraries.update', 409, 'rejects the name of another library', async (context) => {
    const owner = await context.account()
    await createLibraryNamed(owner, context.unique('Demos'))
    const { id: libraryId } = await createLibrary(owner)
    const body = { name: context.unique('demos'), description: 'not either' }
    return { as: owner, params: { libraryId }, body }
  }),
  ...(['viewer', 'editor'] as const).map((accessType) =>
    defineScenario('libraries.update', 403, `forbids ${accessType}s`, async (context) => {
      const { guest, library } = await createAcceptedShare(context, accessType)
      return { as: guest, params: { libraryId: library.id }, body: { name: '' } }
    }),
  ),
  ...[
    ['an empty body', {}],
    ['only unknown fields', { colour: 'red' }],
    ['null as the name', { name: null }],
    ['an empty name', { name: '' }],
    ['a name of 121 characters', { name: 'a'.repeat(121) }],
    ['an array as the description', { description: [] }],
    ['a description of 2,001 characters', { description: 'x'.repeat(2001) }],
    ['a control character', { description: 'a\u0000b' }],
    ['a carriage return', { description: 'a\r\nb' }],
  ].map(([fault, body]) =>
    defineScenario('libraries.update', 400, `rejects ${fault}`, async ({ account }) => {
      const owner = await account()
      const { id: libraryId } = await createLibrary(owner)
      return { as: owner, params: { libraryId }, body }
    }),
  ),

  defineScenario('libraries.remove', 204, 'removes the library and keeps its tracks', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await createLibrary(owner)
    const { id: trackId } = await createTrack(owner)
    await owner.call('libraries.tracks.add', { params: { libraryId }, body: { trackId } })
    const reads = [{ label: 'tracks.detail', as: owner, params: { trackId } }] as const
    return { as: owner, params: { libraryId }, reads }
  }),
  defineScenario(
    'libraries.remove',
    204,
    'keeps other libraries, with their tracks and shares',
    async (context) => {
      const { owner, guest, library } = await createAcceptedShare(context)
      const another = await shareAnotherLibrary(owner, guest)
      const { id: trackId } = await createTrack(owner)
      for (const { libraryId } of [another, { libraryId: library.id }])
        await owner.call('libraries.tracks.add', { params: { libraryId }, body: { trackId } })
      const reads = [{ label: 'libraries.shared-with-me', as: guest }] as const
      return { as: owner, params: { libraryId: library.id }, reads }
    },
  ),
  defineScenario('libraries.remove', 403, 'forbids an admin', async (context) => {
    const { guest, library } = await createAcceptedShare(context, 'admin')
    return { as: guest, params: { libraryId: library.id } }
  }),
  defineScenario('libraries.remove', 404, 'does not find a library that was removed', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await createLibrary(owner)
    await owner.call('libraries.remove', { params: { libraryId } })
    return { as: owner, params: { libraryId } }
  }),
]
