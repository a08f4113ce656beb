import { defineScenario } from '#migration/parity/run/scenario.ts'
import {
  createAcceptedShare,
  createInvitation,
  createLibrary,
  createLibraryNamed,
  createTrack,
  shareAnotherLibrary,
} from './fixtures/libraries.ts'

const readLabels = ['libraries.detail', 'libraries.presentation'] as const

export const libraries = [
  defineScenario('libraries.list', 200, 'returns an empty list', async ({ account }) => ({
    as: await account(),
  })),
  defineScenario(
    'libraries.list',
    200,
    'lists the most recently changed library first',
    async ({ account }) => {
      const owner = await account()
      const first = await createLibrary(owner, 'First')
      await createLibrary(owner, 'Second')
      await createLibrary(owner, 'Third')
      await owner.call('libraries.update', {
        params: { libraryId: first.id },
        body: { description: 'Changed' },
      })
      return { as: owner }
    },
  ),
  defineScenario('libraries.list', 200, 'counts tracks, and pending and accepted shares', async (context) => {
    const { owner, library, share } = await createAcceptedShare(context)
    const params = { libraryId: library.id }
    for (const title of ['One', 'Two']) {
      const track = await createTrack(owner, title)
      await owner.call('libraries.tracks.add', { params, body: { trackId: track.id } })
    }
    const invitee = await context.account()
    const body = { accessType: 'editor' } as const
    await owner.call('libraries.shares.create', {
      params,
      body: { ...body, targetUserId: invitee.accountId },
    })
    await owner.call('libraries.shares.revoke', { params: { ...params, shareId: share.id } })
    return { as: owner }
  }),
  defineScenario(
    'libraries.list',
    200,
    'omits libraries that are shared with the account',
    async (context) => {
      const { guest } = await createAcceptedShare(context)
      await createLibrary(guest, 'Mine')
      return { as: guest }
    },
  ),
  defineScenario('libraries.list', 200, 'omits a library that was removed', async ({ account }) => {
    const owner = await account()
    await createLibrary(owner, 'Kept')
    const { id: libraryId } = await createLibrary(owner, 'Removed')
    await owner.call('libraries.remove', { params: { libraryId } })
    return { as: owner }
  }),
  defineScenario(
    'libraries.list',
    200,
    "counts each library's tracks and shares separately, without declined shares",
    async (context) => {
      const { owner, guest, params } = await createAcceptedShare(context)
      const another = await shareAnotherLibrary(owner, guest)
      const { id: trackId } = await createTrack(owner)
      await owner.call('libraries.tracks.add', { params: another, body: { trackId } })
      await guest.call('libraries.shares.update', { params, body: { inviteStatus: 'declined' } })
      return { as: owner }
    },
  ),

  ...(['of another account', 'that was removed'] as const).map((which) =>
    defineScenario(
      'libraries.create',
      201,
      `accepts the name of a library ${which}`,
      async ({ account, unique }) => {
        const owner = await account()
        const other = which === 'that was removed' ? owner : await account()
        const { id: libraryId } = await createLibraryNamed(other, unique('Demos'))
        if (other === owner) await owner.call('libraries.remove', { params: { libraryId } })
        return { as: owner, body: { name: unique('Demos') } }
      },
    ),
  ),
  defineScenario('libraries.create', 201, 'trims the name', async ({ account, unique }) => ({
    as: await account(),
    body: { name: `  ${unique('Night  Drives')}\u3000` },
  })),
  defineScenario(
    'libraries.create',
    201,
    'does not normalize the characters of the name',
    async ({ account, unique }) => ({
      as: await account(),
      body: { name: unique('\ufb01nest Ｄｅｍｏｓ of a cafe\u0301') },
    }),
  ),
  defineScenario(
    'libraries.create',
    201,
    'accepts 120 characters between spaces',
    async ({ account, unique }) => {
      const ending = unique('')
      return { as: await account(), body: { name: `   ${'a'.repeat(120 - ending.length)}${ending}   ` } }
    },
  ),
  defineScenario(
    'libraries.create',
    201,
    'accepts a name that differs only in an accent',
    async ({ account, unique }) => {
      const owner = await account()
      await createLibraryNamed(owner, unique('Demos'))
      return { as: owner, body: { name: unique('Démos') } }
    },
  ),
  defineScenario(
    'libraries.create',
    201,
    'accepts 120 characters outside the basic multilingual plane',
    async ({ account, unique }) => {
      const ending = unique('')
      return { as: await account(), body: { name: '\u{1F3B5}'.repeat(120 - ending.length) + ending } }
    },
  ),
  defineScenario('libraries.create', 201, 'ignores unknown fields', async ({ account, unique }) => ({
    as: await account(),
    body: { name: unique('Demos'), description: 'not at creation', ownerId: 'acct_other', id: 'mine' },
  })),
  ...['Demos', ' demos ', 'DEMOS', 'Ｄｅｍｏｓ'].map((name) =>
    defineScenario(
      'libraries.create',
      409,
      `rejects ${JSON.stringify(name)} if Demos exists`,
      async ({ account, unique }) => {
        const owner = await account()
        await createLibraryNamed(owner, unique('Demos'))
        // Replaces only the word, because the spaces at both ends must remain.
        return { as: owner, body: { name: name.replace(/\S+/, unique) } }
      },
    ),
  ),
  defineScenario('libraries.create', 409, 'rejects STRASSE if Straße exists', async ({ account, unique }) => {
    const owner = await account()
    await createLibraryNamed(owner, unique('Straße'))
    return { as: owner, body: { name: unique('STRASSE') } }
  }),
  ...[
    ['a missing name', {}],
    ['an empty name', { name: '' }],
    ['a name of spaces', { name: ' \u3000 ' }],
    ['a number as the name', { name: 7 }],
    ['null as the name', { name: null }],
    ['a name of 121 characters', { name: 'a'.repeat(121) }],
    ['a control character', { name: 'Night\u0007Drives' }],
    ['a line feed', { name: 'Night\nDrives' }],
    ['a lone surrogate', { name: 'Night \ud83c' }],
  ].map(([fault, body]) =>
    defineScenario('libraries.create', 400, `rejects ${fault}`, async ({ account }) => ({
      as: await account(),
      body,
    })),
  ),

  ...readLabels.flatMap((label) => [
    defineScenario(label, 200, 'returns an empty library to the owner', async ({ account }) => {
      const owner = await account()
      return { as: owner, params: { libraryId: (await createLibrary(owner)).id } }
    }),
    defineScenario(label, 200, 'returns a library with counts to the owner', async (context) => {
      const { owner, library } = await createAcceptedShare(context)
      const track = await createTrack(owner)
      const params = { libraryId: library.id }
      await owner.call('libraries.tracks.add', { params, body: { trackId: track.id } })
      return { as: owner, params }
    }),
    ...(['viewer', 'editor', 'admin'] as const).map((accessType) =>
      defineScenario(label, 200, `returns the library to ${accessType}s`, async (context) => {
        const { guest, library } = await createAcceptedShare(context, accessType)
        return { as: guest, params: { libraryId: library.id } }
      }),
    ),
    defineScenario(label, 404, 'hides the library from a pending invitee', async (context) => {
      const { guest, library } = await createInvitation(context)
      return { as: guest, params: { libraryId: library.id } }
    }),
    defineScenario(
      label,
      404,
      'hides the library from a pending invitee who is a guest of another library',
      async (context) => {
        const { owner, guest, library } = await createInvitation(context)
        await shareAnotherLibrary(owner, guest, 'admin')
        return { as: guest, params: { libraryId: library.id } }
      },
    ),
    defineScenario(
      label,
      404,
      'hides the library from a verified address that is invited',
      async ({ account }) => {
        const owner = await account({ plan: 'pro' })
        const guest = await account()
        const params = { libraryId: (await createLibrary(owner)).id }
        const body = { email: guest.email, accessType: 'admin' }
        await owner.call('libraries.shares.create', { params, body })
        return { as: guest, params }
      },
    ),
    defineScenario(label, 404, 'hides the library from a guest who declined later', async (context) => {
      const { guest, library, params } = await createAcceptedShare(context)
      await guest.call('libraries.shares.update', { params, body: { inviteStatus: 'declined' } })
      return { as: guest, params: { libraryId: library.id } }
    }),
    defineScenario(label, 404, 'hides the library from a guest whose share was revoked', async (context) => {
      const { owner, guest, library, params } = await createAcceptedShare(context)
      await owner.call('libraries.shares.revoke', { params })
      return { as: guest, params: { libraryId: library.id } }
    }),
  ]),
]
