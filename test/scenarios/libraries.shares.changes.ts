import { defineScenario } from '#migration/parity/run/scenario.ts'
import {
  createAcceptedShare,
  createEndedShare,
  createInvitation,
  createLibrary,
  endedShareStatuses,
} from './fixtures/libraries.ts'

const unknownId = '0190aaaa-0000-7000-8000-000000000000'

export const libraryShareChanges = [
  ...(['accepted', 'declined'] as const).map((inviteStatus) =>
    defineScenario(
      'libraries.shares.update',
      200,
      `lets the invitee set ${inviteStatus}`,
      async (context) => {
        const { guest, params } = await createInvitation(context)
        return { as: guest, params, body: { inviteStatus } }
      },
    ),
  ),
  defineScenario(
    'libraries.shares.update',
    200,
    'stores the account that accepts an e-mail invitation',
    async ({ account }) => {
      const owner = await account({ plan: 'pro' })
      const guest = await account()
      const params = { libraryId: (await createLibrary(owner)).id }
      const share = await owner.call('libraries.shares.create', {
        params,
        body: { email: guest.email, accessType: 'viewer' },
      })
      return { as: guest, params: { ...params, shareId: share.id }, body: { inviteStatus: 'accepted' } }
    },
  ),
  defineScenario(
    'libraries.shares.update',
    200,
    'changes nothing if an accepted share is accepted again',
    async (context) => {
      const { guest, params } = await createAcceptedShare(context)
      return { as: guest, params, body: { inviteStatus: 'accepted' } }
    },
  ),
  defineScenario(
    'libraries.shares.update',
    200,
    'lets a guest decline an accepted share',
    async (context) => {
      const { guest, params } = await createAcceptedShare(context)
      return { as: guest, params, body: { inviteStatus: 'declined' } }
    },
  ),
  defineScenario('libraries.shares.update', 200, 'lets the owner change a pending share', async (context) => {
    const { owner, params } = await createInvitation(context)
    return { as: owner, params, body: { accessType: 'admin' } }
  }),
  defineScenario(
    'libraries.shares.update',
    200,
    'lets the owner change an accepted share',
    async (context) => {
      const { owner, params } = await createAcceptedShare(context)
      return { as: owner, params, body: { accessType: 'editor' } }
    },
  ),
  ...[
    ['an empty body', {}],
    ['only unknown fields', { colour: 'red' }],
    ['an invalid access type', { accessType: 'revoked' }],
    ['null as the access type', { accessType: null }],
  ].map(([title, body]) =>
    defineScenario('libraries.shares.update', 400, `rejects ${title} from the owner`, async (context) => {
      const { owner, params } = await createInvitation(context)
      return { as: owner, params, body }
    }),
  ),
  defineScenario('libraries.shares.update', 400, 'rejects an invalid invite status', async (context) => {
    const { guest, params } = await createInvitation(context)
    return { as: guest, params, body: { inviteStatus: 'revoked' } }
  }),
  defineScenario('libraries.shares.update', 400, 'rejects truncated JSON', async (context) => {
    const { owner, params } = await createInvitation(context)
    return { as: owner, params, text: '{"accessType":' }
  }),
  defineScenario(
    'libraries.shares.update',
    403,
    'does not let the owner set the invite status',
    async (context) => {
      const { owner, params } = await createInvitation(context)
      return { as: owner, params, body: { inviteStatus: 'accepted' } }
    },
  ),
  defineScenario(
    'libraries.shares.update',
    403,
    'does not let the invitee set the access type',
    async (context) => {
      const { guest, params } = await createInvitation(context)
      return { as: guest, params, body: { accessType: 'admin' } }
    },
  ),
  defineScenario('libraries.shares.update', 403, 'does not let a guest set both fields', async (context) => {
    const { guest, params } = await createAcceptedShare(context)
    return { as: guest, params, body: { accessType: 'admin', inviteStatus: 'accepted' } }
  }),
  defineScenario(
    'libraries.shares.update',
    403,
    'does not let another guest change a share',
    async (context) => {
      const { owner, library, share } = await createInvitation(context)
      const other = await context.account()
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
  defineScenario(
    'libraries.shares.update',
    404,
    'hides an e-mail invitation from an unverified address',
    async ({ account }) => {
      const owner = await account({ plan: 'pro' })
      const guest = await account({ emailVerified: false })
      const params = { libraryId: (await createLibrary(owner)).id }
      const share = await owner.call('libraries.shares.create', {
        params,
        body: { email: guest.email, accessType: 'viewer' },
      })
      return { as: guest, params: { ...params, shareId: share.id }, body: { inviteStatus: 'accepted' } }
    },
  ),
  defineScenario('libraries.shares.update', 404, 'does not find an unknown share', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await createLibrary(owner)
    return { as: owner, params: { libraryId, shareId: unknownId }, body: {} }
  }),
  defineScenario(
    'libraries.shares.update',
    404,
    'does not find a share of another library',
    async (context) => {
      const { owner, share } = await createInvitation(context)
      const { id: libraryId } = await createLibrary(owner, 'Another')
      return { as: owner, params: { libraryId, shareId: share.id }, body: { accessType: 'editor' } }
    },
  ),
  defineScenario(
    'libraries.shares.update',
    409,
    'allows an invitee one share per library',
    async ({ account }) => {
      const owner = await account({ plan: 'pro' })
      const guest = await account()
      const params = { libraryId: (await createLibrary(owner)).id }
      const invite = (invitee: Readonly<Record<string, unknown>>) =>
        owner.call('libraries.shares.create', { params, body: { ...invitee, accessType: 'viewer' } })
      await invite({ targetUserId: guest.accountId })
      const byEmail = await invite({ email: guest.email })
      return { as: guest, params: { ...params, shareId: byEmail.id }, body: { inviteStatus: 'accepted' } }
    },
  ),
  ...endedShareStatuses.flatMap((end) =>
    (['owner', 'guest'] as const).map((caller) =>
      defineScenario(
        'libraries.shares.update',
        409,
        `rejects a change by the ${caller} of a share that was ${end}`,
        async (context) => {
          const invitation = await createEndedShare(context, end)
          const body = caller === 'owner' ? { accessType: 'editor' } : { inviteStatus: 'accepted' }
          return { as: invitation[caller], params: invitation.params, body }
        },
      ),
    ),
  ),

  defineScenario('libraries.shares.revoke', 204, 'revokes an invitation', async (context) => {
    const { owner, params } = await createInvitation(context)
    return { as: owner, params }
  }),
  defineScenario('libraries.shares.revoke', 204, 'revokes an accepted share', async (context) => {
    const { owner, params } = await createAcceptedShare(context)
    return { as: owner, params }
  }),
  ...endedShareStatuses.map((end) =>
    defineScenario('libraries.shares.revoke', 204, `revokes a share that was ${end}`, async (context) => {
      const { owner, params } = await createEndedShare(context, end)
      return { as: owner, params }
    }),
  ),
  defineScenario('libraries.shares.revoke', 403, 'forbids a guest', async (context) => {
    const { guest, params } = await createAcceptedShare(context, 'admin')
    return { as: guest, params }
  }),
  defineScenario('libraries.shares.revoke', 404, 'does not find an unknown share', async ({ account }) => {
    const owner = await account()
    const { id: libraryId } = await createLibrary(owner)
    return { as: owner, params: { libraryId, shareId: unknownId } }
  }),
  defineScenario(
    'libraries.shares.revoke',
    404,
    'does not find a share of another library',
    async (context) => {
      const { owner, share } = await createInvitation(context)
      const { id: libraryId } = await createLibrary(owner, 'Another')
      return { as: owner, params: { libraryId, shareId: share.id } }
    },
  ),
]
