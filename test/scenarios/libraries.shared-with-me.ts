import { defineScenario } from '#migration/parity/run/scenario.ts'
import {
  createAcceptedShare,
  createInvitation,
  createLibrary,
  shareAnotherLibrary,
} from './fixtures/libraries.ts'

export const sharedLibraries = [
  defineScenario('libraries.shared-with-me', 200, 'returns an empty list', async ({ account }) => ({
    as: await account(),
  })),
  defineScenario(
    'libraries.shared-with-me',
    200,
    'lists accepted shares, the most recently changed library first',
    async (context) => {
      const { owner, guest, library } = await createAcceptedShare(context, 'editor')
      const second = await createLibrary(owner, 'Second')
      const params = { libraryId: second.id }
      const share = await owner.call('libraries.shares.create', {
        params,
        body: { targetUserId: guest.accountId, accessType: 'viewer' },
      })
      await guest.call('libraries.shares.update', {
        params: { ...params, shareId: share.id },
        body: { inviteStatus: 'accepted' },
      })
      await owner.call('libraries.update', {
        params: { libraryId: library.id },
        body: { description: 'later' },
      })
      return { as: guest }
    },
  ),
  defineScenario(
    'libraries.shared-with-me',
    200,
    'lists pending invitations of the account',
    async (context) => {
      const { guest } = await createInvitation(context, 'admin')
      return { as: guest, query: { inviteStatus: 'pending' } }
    },
  ),
  ...[true, false].map((emailVerified) =>
    defineScenario(
      'libraries.shared-with-me',
      200,
      `${emailVerified ? 'lists' : 'hides'} e-mail invitations of ${emailVerified ? 'a verified' : 'an unverified'} address`,
      async ({ account }) => {
        const owner = await account({ plan: 'pro' })
        const guest = await account({ emailVerified })
        const { id: libraryId } = await createLibrary(owner)
        await owner.call('libraries.shares.create', {
          params: { libraryId },
          body: { email: guest.email, accessType: 'viewer' },
        })
        return { as: guest, query: { inviteStatus: 'pending' } }
      },
    ),
  ),
  defineScenario('libraries.shared-with-me', 200, 'omits shares that have ended', async (context) => {
    const { owner, guest, params } = await createAcceptedShare(context)
    await shareAnotherLibrary(owner, guest)
    const declined = await shareAnotherLibrary(await context.account({ plan: 'pro' }), guest)
    await owner.call('libraries.shares.revoke', { params })
    await guest.call('libraries.shares.update', { params: declined, body: { inviteStatus: 'declined' } })
    return { as: guest }
  }),
  defineScenario('libraries.shared-with-me', 200, 'omits a library that was removed', async (context) => {
    const { owner, guest, params } = await createAcceptedShare(context)
    await shareAnotherLibrary(await context.account({ plan: 'pro' }), guest)
    await owner.call('libraries.remove', { params })
    return { as: guest }
  }),
  defineScenario(
    'libraries.shared-with-me',
    200,
    'lists an invitation of an address whose account owns the library by now',
    async (context) => {
      const [owner, guest] = [await context.account({ plan: 'pro' }), await context.account()]
      const library = await createLibrary(owner)
      await owner.call('libraries.shares.create', {
        params: { libraryId: library.id },
        body: { email: guest.email, accessType: 'viewer' },
      })
      await context.changeRows('update libraries set owner_id = $2 where id = $1', [
        library.id,
        guest.accountId,
      ])
      return { as: guest, query: { inviteStatus: 'pending' } }
    },
  ),
  defineScenario('libraries.shared-with-me', 200, 'lists no shares of another guest', async (context) => {
    const { owner, guest } = await createAcceptedShare(context)
    const other = await context.account()
    await shareAnotherLibrary(owner, other)
    return { as: guest }
  }),
  defineScenario(
    'libraries.shared-with-me',
    200,
    'lists two invitations to the same library, page by page',
    async (context) => {
      const { owner, guest, library } = await createInvitation(context, 'admin')
      await owner.call('libraries.shares.create', {
        params: { libraryId: library.id },
        body: { email: guest.email, accessType: 'viewer' },
      })
      return { as: guest, query: { inviteStatus: 'pending' }, pageSize: 1 }
    },
  ),
  defineScenario(
    'libraries.shared-with-me',
    200,
    'uses the first of two invite statuses',
    async (context) => {
      const { owner, guest } = await createInvitation(context)
      await shareAnotherLibrary(owner, guest)
      return {
        as: guest,
        query: [
          ['inviteStatus', 'pending'],
          ['inviteStatus', 'accepted'],
        ],
      }
    },
  ),
  defineScenario(
    'libraries.shared-with-me',
    200,
    'lists an e-mail invitation once it is accepted, and no pending one',
    async ({ account }) => {
      const owner = await account({ plan: 'pro' })
      const guest = await account()
      for (const name of ['Accepted', 'Pending']) {
        const params = { libraryId: (await createLibrary(owner, name)).id }
        const body = { email: guest.email, accessType: 'viewer' }
        const share = await owner.call('libraries.shares.create', { params, body })
        if (name === 'Accepted')
          await guest.call('libraries.shares.update', {
            params: { ...params, shareId: share.id },
            body: { inviteStatus: 'accepted' },
          })
      }
      return { as: guest }
    },
  ),
  defineScenario(
    'libraries.shared-with-me',
    200,
    'omits accepted shares from the invitations',
    async (context) => {
      const { owner, guest } = await createInvitation(context)
      await shareAnotherLibrary(owner, guest)
      return { as: guest, query: { inviteStatus: 'pending' } }
    },
  ),
  defineScenario(
    'libraries.shared-with-me',
    400,
    'rejects an unsupported invite status',
    async ({ account }) => ({
      as: await account(),
      query: { inviteStatus: 'revoked' },
    }),
  ),
]
