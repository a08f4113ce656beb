import { scenario } from '../contract-run/scenario.ts'
import { aGuest, aLibrary, anInvitation, aTrack } from './fixtures/libraries.ts'

const reads = ['libraries.detail', 'libraries.presentation'] as const

export const libraries = [
  scenario('libraries.list', 200, 'lists nothing', async ({ account }) => ({ as: await account() })),
  scenario('libraries.list', 200, 'lists the library that changed last first', async ({ account }) => {
    const owner = await account()
    const first = await aLibrary(owner, 'First')
    await aLibrary(owner, 'Second')
    await aLibrary(owner, 'Third')
    await owner.call('libraries.update', {
      params: { libraryId: first.id },
      body: { description: 'Changed' },
    })
    return { as: owner }
  }),
  scenario('libraries.list', 200, 'counts tracks, and shares that are pending or accepted', async (world) => {
    const { owner, library, share } = await aGuest(world)
    const params = { libraryId: library.id }
    for (const title of ['One', 'Two']) {
      const track = await aTrack(owner, title)
      await owner.call('libraries.tracks.add', { params, body: { trackId: track.id } })
    }
    const invitee = await world.account()
    const body = { accessType: 'editor' } as const
    await owner.call('libraries.shares.create', {
      params,
      body: { ...body, targetUserId: invitee.accountId },
    })
    await owner.call('libraries.shares.revoke', { params: { ...params, shareId: share.id } })
    return { as: owner }
  }),
  scenario('libraries.list', 200, 'leaves out what others share', async (world) => {
    const { guest } = await aGuest(world)
    await aLibrary(guest, 'Mine')
    return { as: guest }
  }),

  scenario('libraries.create', 201, 'makes a library of the trimmed name', async ({ account }) => ({
    as: await account(),
    body: { name: '  Night  Drives\u3000' },
  })),
  scenario('libraries.create', 201, 'takes 120 characters as people count them', async ({ account }) => ({
    as: await account(),
    body: { name: '\u{1F3B5}'.repeat(120) },
  })),
  scenario('libraries.create', 201, 'ignores fields it does not know', async ({ account }) => ({
    as: await account(),
    body: { name: 'Demos', description: 'not at creation', ownerId: 'acct_other', id: 'mine' },
  })),
  ...['Demos', ' demos ', 'DEMOS', 'Ｄｅｍｏｓ'].map((name) =>
    scenario('libraries.create', 409, `refuses ${JSON.stringify(name)} beside Demos`, async ({ account }) => {
      const owner = await account()
      await aLibrary(owner, 'Demos')
      return { as: owner, body: { name } }
    }),
  ),
  scenario('libraries.create', 409, 'refuses STRASSE beside Straße', async ({ account }) => {
    const owner = await account()
    await aLibrary(owner, 'Straße')
    return { as: owner, body: { name: 'STRASSE' } }
  }),
  ...[
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name of spaces', { name: ' \u3000 ' }],
    ['a name that is a number', { name: 7 }],
    ['null for a name', { name: null }],
    ['121 characters', { name: 'a'.repeat(121) }],
    ['a control character', { name: 'Night\u0007Drives' }],
    ['a line feed', { name: 'Night\nDrives' }],
    ['half a surrogate pair', { name: 'Night \ud83c' }],
  ].map(([what, body]) =>
    scenario('libraries.create', 400, `refuses ${what}`, async ({ account }) => ({
      as: await account(),
      body,
    })),
  ),

  ...reads.flatMap((label) => [
    scenario(label, 200, 'shows the owner a library that is empty', async ({ account }) => {
      const owner = await account()
      return { as: owner, params: { libraryId: (await aLibrary(owner)).id } }
    }),
    scenario(label, 200, 'shows the owner a library with its counts', async (world) => {
      const { owner, library } = await aGuest(world)
      const track = await aTrack(owner)
      const params = { libraryId: library.id }
      await owner.call('libraries.tracks.add', { params, body: { trackId: track.id } })
      return { as: owner, params }
    }),
    ...(['viewer', 'editor', 'admin'] as const).map((grade) =>
      scenario(label, 200, `shows it to ${grade}s`, async (world) => {
        const { guest, library } = await aGuest(world, grade)
        return { as: guest, params: { libraryId: library.id } }
      }),
    ),
    scenario(label, 404, 'hides it from somebody who is only invited', async (world) => {
      const { guest, library } = await anInvitation(world)
      return { as: guest, params: { libraryId: library.id } }
    }),
    scenario(label, 404, 'hides it from a guest who has left', async (world) => {
      const { guest, library, params } = await aGuest(world)
      await guest.call('libraries.shares.update', { params, body: { inviteStatus: 'declined' } })
      return { as: guest, params: { libraryId: library.id } }
    }),
    scenario(label, 404, 'hides it from a guest whose share was revoked', async (world) => {
      const { owner, guest, library, params } = await aGuest(world)
      await owner.call('libraries.shares.revoke', { params })
      return { as: guest, params: { libraryId: library.id } }
    }),
  ]),

  ...[
    ['renames', { name: ' Long Drives ' }],
    ['describes', { description: 'For the road.\nAt night.' }],
    ['takes an empty description', { description: '' }],
    ['takes a description away', { description: null }],
    ['changes both', { name: 'Both', description: 'at once' }],
    ['takes the name it has', { name: 'NIGHT DRIVES' }],
    ['takes 2,000 characters', { description: 'x'.repeat(2000) }],
  ].map(([title, body]) =>
    scenario('libraries.update', 200, String(title), async ({ account }) => {
      const owner = await account()
      const { id: libraryId } = await aLibrary(owner)
      return { as: owner, params: { libraryId }, body }
    }),
  ),
  scenario('libraries.update', 200, 'lets an admin change it', async (world) => {
    const { guest, library } = await aGuest(world, 'admin')
    return { as: guest, params: { libraryId: library.id }, body: { name: 'By the admin' } }
  }),
  scenario('libraries.update', 409, 'refuses the name of another one', async ({ account }) => {
    const owner = await account()
    await aLibrary(owner, 'Demos')
    const { id: libraryId } = await aLibrary(owner)
    return { as: owner, params: { libraryId }, body: { name: 'demos', description: 'not either' } }
  }),
  ...(['viewer', 'editor'] as const).map((grade) =>
    scenario('libraries.update', 403, `forbids it to ${grade}s`, async (world) => {
      const { guest, library } = await aGuest(world, grade)
      return { as: guest, params: { libraryId: library.id }, body: { name: '' } }
    }),
  ),
  ...[
    ['nothing to change', {}],
    ['nothing known', { colour: 'red' }],
    ['null for a name', { name: null }],
    ['an empty name', { name: '' }],
    ['a description that is a list', { description: [] }],
    ['2,001 characters', { description: 'x'.repeat(2001) }],
    ['a control character', { description: 'a\u0000b' }],
  ].map(([what, body]) =>
    scenario('libraries.update', 400, `refuses ${what}`, async ({ account }) => {
      const owner = await account()
      const { id: libraryId } = await aLibrary(owner)
      return { as: owner, params: { libraryId }, body }
    }),
  ),

  scenario('libraries.remove', 204, 'removes it and leaves its tracks', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await aLibrary(owner)
    const { id: trackId } = await aTrack(owner)
    await owner.call('libraries.tracks.add', { params: { libraryId }, body: { trackId } })
    return { as: owner, params: { libraryId } }
  }),
  scenario('libraries.remove', 403, 'forbids it to an admin', async (world) => {
    const { guest, library } = await aGuest(world, 'admin')
    return { as: guest, params: { libraryId: library.id } }
  }),
  scenario('libraries.remove', 404, 'finds it once', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await aLibrary(owner)
    await owner.call('libraries.remove', { params: { libraryId } })
    return { as: owner, params: { libraryId } }
  }),

  scenario('libraries.shared-with-me', 200, 'lists nothing', async ({ account }) => ({
    as: await account(),
  })),
  scenario(
    'libraries.shared-with-me',
    200,
    'lists what was accepted, the last change first',
    async (world) => {
      const { owner, guest } = await aGuest(world, 'editor')
      const second = await aLibrary(owner, 'Second')
      const params = { libraryId: second.id }
      const share = await owner.call('libraries.shares.create', {
        params,
        body: { targetUserId: guest.accountId, accessType: 'viewer' },
      })
      await guest.call('libraries.shares.update', {
        params: { ...params, shareId: share.id },
        body: { inviteStatus: 'accepted' },
      })
      await owner.call('libraries.update', { params, body: { description: 'later' } })
      return { as: guest }
    },
  ),
  scenario('libraries.shared-with-me', 200, 'lists invitations by account', async (world) => {
    const { guest } = await anInvitation(world, 'admin')
    return { as: guest, query: { inviteStatus: 'pending' } }
  }),
  ...[true, false].map((emailVerified) =>
    scenario(
      'libraries.shared-with-me',
      200,
      `${emailVerified ? 'lists' : 'hides'} invitations by an address that is ${emailVerified ? '' : 'not '}verified`,
      async ({ account }) => {
        const owner = await account({ plan: 'pro' })
        const guest = await account({ emailVerified })
        const { id: libraryId } = await aLibrary(owner)
        await owner.call('libraries.shares.create', {
          params: { libraryId },
          body: { email: guest.email, accessType: 'viewer' },
        })
        return { as: guest, query: { inviteStatus: 'pending' } }
      },
    ),
  ),
  scenario('libraries.shared-with-me', 400, 'refuses a status that is no list', async ({ account }) => ({
    as: await account(),
    query: { inviteStatus: 'revoked' },
  })),
]
