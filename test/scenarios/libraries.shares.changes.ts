import type { Account } from '#migration/parity/run/account.ts'
import { defineScenario } from '#migration/parity/run/scenario.ts'
import {
  createAcceptedShare,
  createEndedShare,
  createInvitation,
  createLibrary,
  endedShareStatuses,
  shareAnotherLibrary,
} from './fixtures/libraries.ts'

const unknownId = '0190aaaa-0000-7000-8000-000000000000'

/** Invites an address that belongs to no account. */
const inviteByEmail = async (owner: Account, libraryId: string) => {
  const body = { email: 'another@example.test', accessType: 'viewer' }
  const { id: shareId } = await owner.call('libraries.shares.create', { params: { libraryId }, body })
  return { libraryId, shareId }
}

export const libraryShareChanges = [
  ...(['accepted', 'declined'] as const).map((inviteStatus) =>
    defineScenario(
      'libraries.shares.update',
      200,
      `lets the invitee set ${inviteStatus}`,
      async (context) => {
        const { owner, guest, library, params } = await createInvitation(context)
        return {
          as: guest,
          params,
          body: { inviteStatus },
          // The guest cannot list the shares.
          reads: [{ label: 'libraries.shares.list', as: owner, params: { libraryId: library.id } }],
        }
      },
    ),
  ),
  ...(['accepted', 'declined'] as const).map((inviteStatus) =>
    defineScenario(
      'libraries.shares.update',
      200,
      `stores the account whose response to an e-mail invitation is ${inviteStatus}`,
      async ({ account }) => {
        const owner = await account({ plan: 'pro' })
        const guest = await account()
        const params = { libraryId: (await createLibrary(owner)).id }
        const share = await owner.call('libraries.shares.create', {
          params,
          body: { email: guest.email, accessType: 'viewer' },
        })
        return {
          as: guest,
          params: { ...params, shareId: share.id },
          body: { inviteStatus },
          reads: [{ label: 'libraries.shares.list', as: owner, params }],
        }
      },
    ),
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
      const { owner, guest, library, params } = await createAcceptedShare(context)
      return {
        as: guest,
        params,
        body: { inviteStatus: 'declined' },
        reads: [{ label: 'libraries.shares.list', as: owner, params: { libraryId: library.id } }],
      }
    },
  ),
  defineScenario(
    'libraries.shares.update',
    200,
    "leaves the guest's share of another library unchanged",
    async (context) => {
      const { owner, guest, library, params } = await createAcceptedShare(context, 'viewer')
      const another = await shareAnotherLibrary(owner, guest)
      return {
        as: guest,
        params: another,
        body: { inviteStatus: 'declined' },
        reads: [
          { label: 'libraries.shares.list', as: owner, params: { libraryId: library.id } },
          { label: 'libraries.detail', as: guest, params: { libraryId: params.libraryId } },
        ],
      }
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
  defineScenario(
    'libraries.shares.update',
    200,
    'records when the owner repeats the present access',
    async (context) => {
      const { owner, params } = await createAcceptedShare(context, 'viewer')
      return { as: owner, params, body: { accessType: 'viewer' } }
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
  ...(['owner', 'guest'] as const).flatMap((caller) => [
    defineScenario(
      'libraries.shares.update',
      403,
      `does not let the ${caller} set both fields`,
      async (context) => {
        const invitation = await createAcceptedShare(context)
        const body = { accessType: 'admin', inviteStatus: 'accepted' }
        return { as: invitation[caller], params: invitation.params, body }
      },
    ),
    ...endedShareStatuses.map((end) =>
      defineScenario(
        'libraries.shares.update',
        403,
        `does not let the ${caller} set the other party's field of a share that was ${end}`,
        async (context) => {
          const invitation = await createEndedShare(context, end)
          const body = caller === 'owner' ? { inviteStatus: 'accepted' } : { accessType: 'editor' }
          return { as: invitation[caller], params: invitation.params, body }
        },
      ),
    ),
  ]),
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
    403,
    "does not let another guest respond to somebody else's e-mail invitation",
    async (context) => {
      const { owner, guest, library } = await createAcceptedShare(context, 'admin')
      return { as: guest, params: await inviteByEmail(owner, library.id), body: { inviteStatus: 'accepted' } }
    },
  ),
  defineScenario(
    'libraries.shares.update',
    404,
    "hides somebody else's e-mail invitation from an invitee who has not accepted",
    async (context) => {
      const { owner, guest, library } = await createInvitation(context, 'admin')
      return { as: guest, params: await inviteByEmail(owner, library.id), body: { inviteStatus: 'accepted' } }
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
  defineScenario(
    'libraries.shares.update',
    404,
    'hides a share from another invitee who has not accepted',
    async (context) => {
      const { owner, library, params } = await createInvitation(context)
      const other = await context.account()
      await owner.call('libraries.shares.create', {
        params: { libraryId: library.id },
        body: { targetUserId: other.accountId, accessType: 'admin' },
      })
      return { as: other, params, body: { inviteStatus: 'accepted' } }
    },
  ),
  defineScenario(
    'libraries.shares.update',
    404,
    'hides a share from an account that is not invited',
    async (context) => {
      const { params } = await createInvitation(context)
      return { as: await context.account(), params, body: { inviteStatus: 'accepted' } }
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
  defineScenario('libraries.shares.revoke', 204, 'revokes only this share', async (context) => {
    const { owner, guest, library, params } = await createAcceptedShare(context)
    await shareAnotherLibrary(owner, guest)
    await owner.call('libraries.shares.create', {
      params: { libraryId: library.id },
      body: { email: 'another@example.test', accessType: 'viewer' },
    })
    return {
      as: owner,
      params,
      reads: [
        { label: 'libraries.shared-with-me', as: guest },
        { label: 'libraries.detail', as: guest, params: { libraryId: library.id } },
      ],
    }
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
  defineScenario('libraries.shares.revoke', 404, 'hides the library from the invitee', async (context) => {
    const { guest, params } = await createInvitation(context, 'admin')
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
