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

type CreateInvitee = (guest: Account, owner: Account) => Readonly<Record<string, unknown>>

const invitations: readonly (readonly [title: string, invitee: CreateInvitee])[] = [
  ['invites an account', ({ accountId }) => ({ targetUserId: accountId, accessType: 'viewer' })],
  ['invites by e-mail', ({ email }) => ({ email, accessType: 'editor' })],
  [
    'stores the e-mail address in lower case',
    ({ email }) => ({ email: ` ${email?.toUpperCase()} `, accessType: 'admin' }),
  ],
  [
    'invites an account that does not exist',
    () => ({ targetUserId: 'unknown account', accessType: 'viewer' }),
  ],
  ['trims the account id', ({ accountId }) => ({ targetUserId: ` ${accountId} `, accessType: 'viewer' })],
  [
    'accepts an account id of 128 characters outside the basic multilingual plane',
    () => ({ targetUserId: '\u{1F3B5}'.repeat(128), accessType: 'viewer' }),
  ],
  [
    'accepts an e-mail address of 254 characters between spaces',
    () => ({ email: ` ${'a'.repeat(241)}@example.test `, accessType: 'viewer' }),
  ],
  [
    'ignores unknown fields',
    ({ accountId }) => ({ targetUserId: accountId, accessType: 'viewer', inviteStatus: 'accepted' }),
  ],
]

const invalidInvitations: readonly (readonly [label: string, invitee: CreateInvitee])[] = [
  ['an empty body', () => ({})],
  ['a missing access type', ({ accountId }) => ({ targetUserId: accountId })],
  ['a missing invitee', () => ({ accessType: 'viewer' })],
  ['two invitees', ({ accountId, email }) => ({ targetUserId: accountId, email, accessType: 'viewer' })],
  ['revoked as the access type', ({ accountId }) => ({ targetUserId: accountId, accessType: 'revoked' })],
  ['owner as the access type', ({ accountId }) => ({ targetUserId: accountId, accessType: 'owner' })],
  ['a malformed e-mail address', () => ({ email: 'malformed', accessType: 'viewer' })],
  [
    'an e-mail address of 255 characters',
    () => ({ email: `${'a'.repeat(242)}@example.test`, accessType: 'viewer' }),
  ],
  ['an empty account id', () => ({ targetUserId: ' ', accessType: 'viewer' })],
  ['an account id of 129 characters', () => ({ targetUserId: 'a'.repeat(129), accessType: 'viewer' })],
  [
    'null as the e-mail address',
    ({ accountId }) => ({ targetUserId: accountId, email: null, accessType: 'viewer' }),
  ],
  ['the account of the owner', (_, { accountId }) => ({ targetUserId: accountId, accessType: 'viewer' })],
  [
    'the account of the owner between spaces',
    (_, { accountId }) => ({ targetUserId: ` ${accountId} `, accessType: 'viewer' }),
  ],
  ['the e-mail address of the owner', (_, { email }) => ({ email, accessType: 'viewer' })],
  [
    'the e-mail address of the owner in upper case',
    (_, { email }) => ({ email: email?.toUpperCase(), accessType: 'viewer' }),
  ],
]

export const libraryShares = [
  defineScenario('libraries.shares.list', 200, 'returns an empty list', async ({ account }) => {
    const owner = await account()
    return { as: owner, params: { libraryId: (await createLibrary(owner)).id } }
  }),
  defineScenario(
    'libraries.shares.list',
    200,
    'lists all shares, newest first, including ended ones',
    async (context) => {
      const { owner, library, params } = await createAcceptedShare(context)
      for (const name of ['b', 'a', 'c']) {
        await owner.call('libraries.shares.create', {
          params: { libraryId: library.id },
          body: { email: `${name}@example.test`, accessType: 'editor' },
        })
      }
      await owner.call('libraries.shares.revoke', { params })
      return { as: owner, params: { libraryId: library.id } }
    },
  ),
  defineScenario('libraries.shares.list', 200, 'lists no shares of another library', async (context) => {
    const { owner, guest, library } = await createInvitation(context)
    await shareAnotherLibrary(owner, guest)
    return { as: owner, params: { libraryId: library.id } }
  }),
  ...(['viewer', 'admin'] as const).map((accessType) =>
    defineScenario('libraries.shares.list', 403, `forbids ${accessType}s`, async (context) => {
      const { guest, library } = await createAcceptedShare(context, accessType)
      return { as: guest, params: { libraryId: library.id } }
    }),
  ),

  ...invitations.map(([title, invitee]) =>
    defineScenario('libraries.shares.create', 201, title, async ({ account }) => {
      const owner = await account({ plan: 'pro' })
      const guest = await account()
      const { id: libraryId } = await createLibrary(owner)
      return { as: owner, params: { libraryId }, body: invitee(guest, owner) }
    }),
  ),
  ...endedShareStatuses.map((end) =>
    defineScenario(
      'libraries.shares.create',
      201,
      `invites an account again after its share was ${end}`,
      async (context) => {
        const { owner, guest, library } = await createEndedShare(context, end)
        const body = { targetUserId: guest.accountId, accessType: 'viewer' }
        return { as: owner, params: { libraryId: library.id }, body }
      },
    ),
  ),
  defineScenario('libraries.shares.create', 201, 'invites a guest of another library', async (context) => {
    const { owner, guest } = await createInvitation(context)
    const params = { libraryId: (await createLibrary(owner, 'Another')).id }
    return { as: owner, params, body: { targetUserId: guest.accountId, accessType: 'viewer' } }
  }),
  ...endedShareStatuses.map((end) =>
    defineScenario(
      'libraries.shares.create',
      201,
      `does not count a share that was ${end} towards the plan's limit`,
      async ({ account }) => {
        const owner = await account({ plan: 'starter' })
        const guest = await account()
        const params = { libraryId: (await createLibrary(owner)).id }
        const body = { targetUserId: guest.accountId, accessType: 'viewer' }
        const share = await owner.call('libraries.shares.create', { params, body })
        const shareParams = { ...params, shareId: share.id }
        if (end === 'revoked') await owner.call('libraries.shares.revoke', { params: shareParams })
        else
          await guest.call('libraries.shares.update', {
            params: shareParams,
            body: { inviteStatus: 'declined' },
          })
        return { as: owner, params, body: { email: 'second@example.test', accessType: 'viewer' } }
      },
    ),
  ),
  defineScenario(
    'libraries.shares.create',
    201,
    "does not count another account's shares towards the plan's limit",
    async (context) => {
      await createAcceptedShare(context)
      const owner = await context.account({ plan: 'starter' })
      const params = { libraryId: (await createLibrary(owner)).id }
      return { as: owner, params, body: { email: 'first@example.test', accessType: 'viewer' } }
    },
  ),
  ...invalidInvitations.map(([label, invitee]) =>
    defineScenario('libraries.shares.create', 400, `rejects ${label}`, async ({ account }) => {
      const owner = await account({ plan: 'pro' })
      const guest = await account()
      const { id: libraryId } = await createLibrary(owner)
      return { as: owner, params: { libraryId }, body: invitee(guest, owner) }
    }),
  ),
  defineScenario(
    'libraries.shares.create',
    400,
    'rejects the unverified e-mail address of the owner',
    async ({ account }) => {
      const owner = await account({ plan: 'pro', emailVerified: false })
      const { id: libraryId } = await createLibrary(owner)
      return { as: owner, params: { libraryId }, body: { email: owner.email, accessType: 'viewer' } }
    },
  ),
  defineScenario(
    'libraries.shares.create',
    403,
    'requires a plan before it validates the body',
    async ({ account }) => {
      const owner = await account()
      const { id: libraryId } = await createLibrary(owner)
      return { as: owner, params: { libraryId }, body: {} }
    },
  ),
  defineScenario('libraries.shares.create', 403, "enforces the plan's limit", async ({ account }) => {
    const owner = await account({ plan: 'starter' })
    const params = { libraryId: (await createLibrary(owner)).id }
    const body = { email: 'first@example.test', accessType: 'viewer' }
    await owner.call('libraries.shares.create', { params, body })
    return { as: owner, params, body: { email: 'second@example.test', accessType: 'viewer' } }
  }),
  defineScenario(
    'libraries.shares.create',
    403,
    "counts an accepted share of another library towards the plan's limit",
    async ({ account }) => {
      const owner = await account({ plan: 'starter' })
      await shareAnotherLibrary(owner, await account())
      const params = { libraryId: (await createLibrary(owner)).id }
      return { as: owner, params, body: { email: 'second@example.test', accessType: 'viewer' } }
    },
  ),
  defineScenario('libraries.shares.create', 403, 'forbids an admin', async (context) => {
    const { guest, library } = await createAcceptedShare(context, 'admin')
    return { as: guest, params: { libraryId: library.id }, body: {} }
  }),
  defineScenario(
    'libraries.shares.create',
    409,
    'rejects an account that is already invited',
    async (context) => {
      const { owner, guest, library } = await createInvitation(context)
      const body = { targetUserId: guest.accountId, accessType: 'admin' }
      return { as: owner, params: { libraryId: library.id }, body }
    },
  ),
  defineScenario('libraries.shares.create', 409, 'rejects an account that is a guest', async (context) => {
    const { owner, guest, library } = await createAcceptedShare(context)
    const body = { targetUserId: guest.accountId, accessType: 'viewer' }
    return { as: owner, params: { libraryId: library.id }, body }
  }),
  ...(['account', 'e-mail address'] as const).map((invitee) =>
    defineScenario(
      'libraries.shares.create',
      409,
      `rejects the ${invitee} of a guest who was invited by e-mail`,
      async ({ account }) => {
        const owner = await account({ plan: 'pro' })
        const guest = await account()
        const params = { libraryId: (await createLibrary(owner)).id }
        const invited = { email: guest.email, accessType: 'viewer' }
        const share = await owner.call('libraries.shares.create', { params, body: invited })
        await guest.call('libraries.shares.update', {
          params: { ...params, shareId: share.id },
          body: { inviteStatus: 'accepted' },
        })
        const body = invitee === 'account' ? { targetUserId: guest.accountId, accessType: 'viewer' } : invited
        return { as: owner, params, body }
      },
    ),
  ),
  defineScenario(
    'libraries.shares.create',
    409,
    'rejects an e-mail address that is already invited',
    async ({ account }) => {
      const owner = await account({ plan: 'pro' })
      const params = { libraryId: (await createLibrary(owner)).id }
      const body = { email: 'first@example.test', accessType: 'viewer' }
      await owner.call('libraries.shares.create', { params, body })
      return { as: owner, params, body: { ...body, email: 'FIRST@example.test' } }
    },
  ),
]
