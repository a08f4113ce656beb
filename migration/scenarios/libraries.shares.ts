import type { Account } from '../contract-run/account.ts'
import { scenario } from '../contract-run/scenario.ts'
import { aGuest, aLibrary, anEndedShare, anInvitation, ended } from './fixtures/libraries.ts'

type Invitee = (guest: Account, owner: Account) => Readonly<Record<string, unknown>>

const invitations: readonly (readonly [title: string, invitee: Invitee])[] = [
  ['invites an account', ({ accountId }) => ({ targetUserId: accountId, accessType: 'viewer' })],
  ['invites by e-mail', ({ email }) => ({ email, accessType: 'editor' })],
  [
    'keeps an address in lower case',
    ({ email }) => ({ email: ` ${email?.toUpperCase()} `, accessType: 'admin' }),
  ],
  ['invites an account that nobody has', () => ({ targetUserId: 'somebody else', accessType: 'viewer' })],
  [
    'ignores fields it does not know',
    ({ accountId }) => ({ targetUserId: accountId, accessType: 'viewer', inviteStatus: 'accepted' }),
  ],
]

const refusedInvitations: readonly (readonly [what: string, invitee: Invitee])[] = [
  ['nothing', () => ({})],
  ['no access', ({ accountId }) => ({ targetUserId: accountId })],
  ['no invitee', () => ({ accessType: 'viewer' })],
  ['two invitees', ({ accountId, email }) => ({ targetUserId: accountId, email, accessType: 'viewer' })],
  ['revoked as an access', ({ accountId }) => ({ targetUserId: accountId, accessType: 'revoked' })],
  ['an access nobody knows', ({ accountId }) => ({ targetUserId: accountId, accessType: 'owner' })],
  ['an address that is none', () => ({ email: 'nobody', accessType: 'viewer' })],
  [
    'an address of 255 characters',
    () => ({ email: `${'a'.repeat(243)}@example.test`, accessType: 'viewer' }),
  ],
  ['an empty account', () => ({ targetUserId: ' ', accessType: 'viewer' })],
  ['an account of 129 characters', () => ({ targetUserId: 'a'.repeat(129), accessType: 'viewer' })],
  [
    'null for an address',
    ({ accountId }) => ({ targetUserId: accountId, email: null, accessType: 'viewer' }),
  ],
  ['oneself', (_, { accountId }) => ({ targetUserId: accountId, accessType: 'viewer' })],
  ['one’s own address', (_, { email }) => ({ email, accessType: 'viewer' })],
]

export const libraryShares = [
  scenario('libraries.shares.list', 200, 'lists nothing', async ({ account }) => {
    const owner = await account()
    return { as: owner, params: { libraryId: (await aLibrary(owner)).id } }
  }),
  scenario('libraries.shares.list', 200, 'lists the newest first, ended ones included', async (world) => {
    const { owner, library, params } = await aGuest(world)
    await owner.call('libraries.shares.revoke', { params })
    for (const name of ['b', 'a', 'c']) {
      await owner.call('libraries.shares.create', {
        params: { libraryId: library.id },
        body: { email: `${name}@example.test`, accessType: 'editor' },
      })
    }
    return { as: owner, params: { libraryId: library.id } }
  }),
  ...(['viewer', 'admin'] as const).map((grade) =>
    scenario('libraries.shares.list', 403, `forbids it to ${grade}s`, async (world) => {
      const { guest, library } = await aGuest(world, grade)
      return { as: guest, params: { libraryId: library.id } }
    }),
  ),

  ...invitations.map(([title, invitee]) =>
    scenario('libraries.shares.create', 201, title, async ({ account }) => {
      const owner = await account({ plan: 'pro' })
      const guest = await account()
      const { id: libraryId } = await aLibrary(owner)
      return { as: owner, params: { libraryId }, body: invitee(guest, owner) }
    }),
  ),
  ...ended.map((end) =>
    scenario('libraries.shares.create', 201, `invites again whoever has ${end}`, async (world) => {
      const { owner, guest, library } = await anEndedShare(world, end)
      const body = { targetUserId: guest.accountId, accessType: 'viewer' }
      return { as: owner, params: { libraryId: library.id }, body }
    }),
  ),
  ...refusedInvitations.map(([what, invitee]) =>
    scenario('libraries.shares.create', 400, `refuses ${what}`, async ({ account }) => {
      const owner = await account({ plan: 'pro' })
      const guest = await account()
      const { id: libraryId } = await aLibrary(owner)
      return { as: owner, params: { libraryId }, body: invitee(guest, owner) }
    }),
  ),
  scenario(
    'libraries.shares.create',
    403,
    'needs a plan, and says so before it reads',
    async ({ account }) => {
      const owner = await account()
      const { id: libraryId } = await aLibrary(owner)
      return { as: owner, params: { libraryId }, body: {} }
    },
  ),
  scenario('libraries.shares.create', 403, 'keeps to the number of the plan', async ({ account }) => {
    const owner = await account({ plan: 'starter' })
    const params = { libraryId: (await aLibrary(owner)).id }
    const body = { email: 'first@example.test', accessType: 'viewer' }
    await owner.call('libraries.shares.create', { params, body })
    return { as: owner, params, body: { email: 'second@example.test', accessType: 'viewer' } }
  }),
  scenario('libraries.shares.create', 403, 'forbids it to an admin', async (world) => {
    const { guest, library } = await aGuest(world, 'admin')
    return { as: guest, params: { libraryId: library.id }, body: {} }
  }),
  scenario('libraries.shares.create', 409, 'refuses whoever is invited already', async (world) => {
    const { owner, guest, library } = await anInvitation(world)
    const body = { targetUserId: guest.accountId, accessType: 'admin' }
    return { as: owner, params: { libraryId: library.id }, body }
  }),
  scenario(
    'libraries.shares.create',
    409,
    'refuses an address that is invited already',
    async ({ account }) => {
      const owner = await account({ plan: 'pro' })
      const params = { libraryId: (await aLibrary(owner)).id }
      const body = { email: 'first@example.test', accessType: 'viewer' }
      await owner.call('libraries.shares.create', { params, body })
      return { as: owner, params, body: { ...body, email: 'FIRST@example.test' } }
    },
  ),
]
