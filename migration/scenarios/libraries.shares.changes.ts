import { scenario } from '../contract-run/scenario.ts'
import { aGuest, aLibrary, anEndedShare, anInvitation, ended } from './fixtures/libraries.ts'

const absent = '0190aaaa-0000-7000-8000-000000000000'

export const libraryShareChanges = [
  ...(['accepted', 'declined'] as const).map((inviteStatus) =>
    scenario('libraries.shares.update', 200, `lets the invitee answer: ${inviteStatus}`, async (world) => {
      const { guest, params } = await anInvitation(world)
      return { as: guest, params, body: { inviteStatus } }
    }),
  ),
  scenario(
    'libraries.shares.update',
    200,
    'names the account that accepts by e-mail',
    async ({ account }) => {
      const owner = await account({ plan: 'pro' })
      const guest = await account()
      const params = { libraryId: (await aLibrary(owner)).id }
      const share = await owner.call('libraries.shares.create', {
        params,
        body: { email: guest.email, accessType: 'viewer' },
      })
      return { as: guest, params: { ...params, shareId: share.id }, body: { inviteStatus: 'accepted' } }
    },
  ),
  scenario('libraries.shares.update', 200, 'changes nothing by accepting again', async (world) => {
    const { guest, params } = await aGuest(world)
    return { as: guest, params, body: { inviteStatus: 'accepted' } }
  }),
  scenario('libraries.shares.update', 200, 'lets a guest leave', async (world) => {
    const { guest, params } = await aGuest(world)
    return { as: guest, params, body: { inviteStatus: 'declined' } }
  }),
  scenario('libraries.shares.update', 200, 'lets the owner change a pending share', async (world) => {
    const { owner, params } = await anInvitation(world)
    return { as: owner, params, body: { accessType: 'admin' } }
  }),
  scenario('libraries.shares.update', 200, 'lets the owner change an accepted share', async (world) => {
    const { owner, params } = await aGuest(world)
    return { as: owner, params, body: { accessType: 'editor' } }
  }),
  ...[
    ['nothing', {}],
    ['nothing known', { colour: 'red' }],
    ['an access nobody knows', { accessType: 'revoked' }],
    ['null for an access', { accessType: null }],
  ].map(([what, body]) =>
    scenario('libraries.shares.update', 400, `refuses ${what} of the owner`, async (world) => {
      const { owner, params } = await anInvitation(world)
      return { as: owner, params, body }
    }),
  ),
  scenario('libraries.shares.update', 400, 'refuses an answer that is none', async (world) => {
    const { guest, params } = await anInvitation(world)
    return { as: guest, params, body: { inviteStatus: 'revoked' } }
  }),
  scenario('libraries.shares.update', 400, 'refuses JSON that ends too early', async (world) => {
    const { owner, params } = await anInvitation(world)
    return { as: owner, params, text: '{"accessType":' }
  }),
  scenario('libraries.shares.update', 403, 'does not let the owner answer', async (world) => {
    const { owner, params } = await anInvitation(world)
    return { as: owner, params, body: { inviteStatus: 'accepted' } }
  }),
  scenario('libraries.shares.update', 403, 'does not let the invitee choose the access', async (world) => {
    const { guest, params } = await anInvitation(world)
    return { as: guest, params, body: { accessType: 'admin' } }
  }),
  scenario('libraries.shares.update', 403, 'does not let a guest do either at once', async (world) => {
    const { guest, params } = await aGuest(world)
    return { as: guest, params, body: { accessType: 'admin', inviteStatus: 'accepted' } }
  }),
  scenario(
    'libraries.shares.update',
    403,
    'leaves a share out of the hands of another guest',
    async (world) => {
      const { owner, library, share } = await anInvitation(world)
      const other = await world.account()
      const params = { libraryId: library.id }
      const own = await owner.call('libraries.shares.create', {
        params,
        body: { targetUserId: other.accountId, accessType: 'admin' },
      })
      await other.call('libraries.shares.update', {
        params: { ...params, shareId: own.id },
        body: { inviteStatus: 'accepted' },
      })
      return { as: other, params: { ...params, shareId: share.id }, body: { inviteStatus: 'accepted' } }
    },
  ),
  scenario(
    'libraries.shares.update',
    404,
    'hides it from an address that is not verified',
    async ({ account }) => {
      const owner = await account({ plan: 'pro' })
      const guest = await account({ emailVerified: false })
      const params = { libraryId: (await aLibrary(owner)).id }
      const share = await owner.call('libraries.shares.create', {
        params,
        body: { email: guest.email, accessType: 'viewer' },
      })
      return { as: guest, params: { ...params, shareId: share.id }, body: { inviteStatus: 'accepted' } }
    },
  ),
  scenario('libraries.shares.update', 404, 'finds no share that is not there', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await aLibrary(owner)
    return { as: owner, params: { libraryId, shareId: absent }, body: {} }
  }),
  scenario(
    'libraries.shares.update',
    409,
    'holds an invitee to one share of a library',
    async ({ account }) => {
      const owner = await account({ plan: 'pro' })
      const guest = await account()
      const params = { libraryId: (await aLibrary(owner)).id }
      const invite = (invitee: Readonly<Record<string, unknown>>) =>
        owner.call('libraries.shares.create', { params, body: { ...invitee, accessType: 'viewer' } })
      await invite({ targetUserId: guest.accountId })
      const byEmail = await invite({ email: guest.email })
      return { as: guest, params: { ...params, shareId: byEmail.id }, body: { inviteStatus: 'accepted' } }
    },
  ),
  ...ended.flatMap((end) =>
    (['owner', 'guest'] as const).map((who) =>
      scenario(
        'libraries.shares.update',
        409,
        `is over for the ${who} of a share that was ${end}`,
        async (world) => {
          const invited = await anEndedShare(world, end)
          const body = who === 'owner' ? { accessType: 'editor' } : { inviteStatus: 'accepted' }
          return { as: invited[who], params: invited.params, body }
        },
      ),
    ),
  ),

  scenario('libraries.shares.revoke', 204, 'revokes an invitation', async (world) => {
    const { owner, params } = await anInvitation(world)
    return { as: owner, params }
  }),
  scenario('libraries.shares.revoke', 204, 'revokes an accepted share', async (world) => {
    const { owner, params } = await aGuest(world)
    return { as: owner, params }
  }),
  ...ended.map((end) =>
    scenario('libraries.shares.revoke', 204, `revokes what was ${end}`, async (world) => {
      const { owner, params } = await anEndedShare(world, end)
      return { as: owner, params }
    }),
  ),
  scenario('libraries.shares.revoke', 403, 'forbids it to a guest', async (world) => {
    const { guest, params } = await aGuest(world, 'admin')
    return { as: guest, params }
  }),
  scenario('libraries.shares.revoke', 404, 'finds no share that is not there', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await aLibrary(owner)
    return { as: owner, params: { libraryId, shareId: absent } }
  }),
  scenario('libraries.shares.revoke', 404, 'finds no share of another library', async (world) => {
    const { owner, share } = await anInvitation(world)
    const { id: libraryId } = await aLibrary(owner, 'Another')
    return { as: owner, params: { libraryId, shareId: share.id } }
  }),
]
