import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { createLibrary, inviteToLibrary, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

const email = 'guest@example.test'
const targetUserId = 'acct_guest'
const accessType = 'viewer'

describe('libraries.shares.create', () => {
  const gateway = startTestGateway()
  const pathOf = ({ id }: { id: string }) => `/v1/libraries/${id}/shares`
  const start = async (plan: 'starter' | 'pro' = 'pro') => {
    const alice = await gateway.signUp({ plan })
    return { alice, library: await createLibrary(alice) }
  }
  const countShares = async (owner: TestAccount, library: { id: string }) =>
    (await owner.get(pathOf(library))).body.records.length

  it('invites an account', async () => {
    const { alice, library } = await start()
    const response = await alice.post(pathOf(library), { targetUserId, accessType: 'editor' })
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      id: expect.any(String),
      libraryId: library.id,
      targetUserId,
      email: null,
      accessType: 'editor',
      inviteStatus: 'pending',
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: response.body.createdAt,
      respondedAt: null,
      revokedAt: null,
    })
  })

  it('invites by e-mail and stores the address in lower case', async () => {
    const { alice, library } = await start()
    const response = await alice.post(pathOf(library), { email: ' Guest@Example.TEST ', accessType })
    expect(response.status).toBe(201)
    expect(response.body).toMatchObject({ targetUserId: null, email, inviteStatus: 'pending' })
  })

  it.each(['a&r@label.example', "o'neill%sales@label.example", 'a@x.xn--p1ai'])(
    'invites the address %s',
    async (email) => {
      const { alice, library } = await start()
      expect(await alice.post(pathOf(library), { email, accessType })).toMatchObject({
        status: 201,
        body: { email },
      })
    },
  )

  it('does not change the library’s updatedAt', async () => {
    const { alice, library } = await start()
    await inviteToLibrary(alice, library, { email })
    const { body } = await alice.get(`/v1/libraries/${library.id}`)
    expect(body.updatedAt).toBe(library.updatedAt)
  })

  it.each([
    ['no invitee', { accessType }, 'targetUserId'],
    ['two invitees', { email, targetUserId, accessType }, 'targetUserId'],
    ['no accessType', { email }, 'accessType'],
    ['the accessType revoked', { email, accessType: 'revoked' }, 'accessType'],
    ['the accessType owner', { email, accessType: 'owner' }, 'accessType'],
    ['a malformed e-mail address', { email: 'guest', accessType }, 'email'],
    ['an e-mail address without a top-level domain', { email: 'guest@home', accessType }, 'email'],
    ['an e-mail address with an empty part', { email: 'a..b@example.test', accessType }, 'email'],
    ['a blank account id', { targetUserId: ' ', accessType }, 'targetUserId'],
    ['an account id of 129 characters', { targetUserId: 'a'.repeat(129), accessType }, 'targetUserId'],
  ])('returns 400 for %s', async (_, body, path) => {
    const { alice, library } = await start()
    const response = await alice.post(pathOf(library), body)
    expect(response.status).toBe(400)
    expect(response.body).toEqual(
      errorBody('validation_error', { issues: [{ path, message: expect.any(String) }] }),
    )
    expect(await countShares(alice, library)).toBe(0)
  })

  it('returns 400 if callers invite themselves', async () => {
    const { alice, library } = await start()
    const byId = await alice.post(pathOf(library), { targetUserId: alice.accountId, accessType })
    expect(byId.status).toBe(400)
    expect(byId.body).toMatchObject({ error: 'validation_error', issues: [{ path: 'targetUserId' }] })
    const byEmail = await alice.post(pathOf(library), { email: alice.email.toUpperCase(), accessType })
    expect(byEmail.status).toBe(400)
    expect(byEmail.body).toMatchObject({ error: 'validation_error', issues: [{ path: 'email' }] })
  })

  it.each([
    ['account', { targetUserId }],
    ['e-mail', { email }],
  ])('returns 409 for a second pending invitation for the same %s', async (_, invitee) => {
    const { alice, library } = await start()
    await inviteToLibrary(alice, library, invitee)
    const response = await alice.post(pathOf(library), { ...invitee, accessType: 'admin' })
    expect(response.status).toBe(409)
    expect(response.body).toEqual(errorBody('library_share_conflict'))
  })

  it('returns 409 if a guest who accepted by e-mail is invited again by id or address', async () => {
    const { alice, library } = await start()
    const bob = await gateway.signUp()
    const { id } = await inviteToLibrary(alice, library, { email: bob.email })
    await bob.patch(`${pathOf(library)}/${id}`, { inviteStatus: 'accepted' })
    for (const invitee of [{ targetUserId: bob.accountId }, { email: bob.email }]) {
      const response = await alice.post(pathOf(library), { ...invitee, accessType })
      expect(response.status).toBe(409)
      expect(response.body).toEqual(errorBody('library_share_conflict'))
    }
  })

  it('invites an account again after its share was declined, left or revoked', async () => {
    const { alice, library } = await start()
    const bob = await gateway.signUp()
    const byId = { targetUserId: bob.accountId }
    const declined = await inviteToLibrary(alice, library, byId)
    await bob.patch(`${pathOf(library)}/${declined.id}`, { inviteStatus: 'declined' })
    const left = await shareLibrary(alice, library, bob)
    await bob.patch(`${pathOf(library)}/${left.id}`, { inviteStatus: 'declined' })
    const revoked = await inviteToLibrary(alice, library, byId)
    await alice.delete(`${pathOf(library)}/${revoked.id}`)
    expect((await alice.post(pathOf(library), { ...byId, accessType })).status).toBe(201)
  })

  it.each([
    ['account', { targetUserId }],
    ['e-mail', { email }],
  ])('accepts only one of several concurrent invitations for the same %s', async (_, invitee) => {
    const { alice, library } = await start()
    const responses = await Promise.all(
      [1, 2, 3, 4].map(() => alice.post(pathOf(library), { ...invitee, accessType })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    expect(await countShares(alice, library)).toBe(1)
  })

  it('enforces the quota for concurrent invitations across all libraries', async () => {
    const { alice, library } = await start('starter')
    const another = await createLibrary(alice, 'Another')
    const responses = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((n) =>
        alice.post(pathOf(n % 2 === 0 ? library : another), { targetUserId: `acct_${n}`, accessType }),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403, 403])
    expect((await countShares(alice, library)) + (await countShares(alice, another))).toBe(2)
    expect(responses.find(({ status }) => status === 403)?.body).toEqual(
      errorBody('entitlement_required', {
        code: 'entitlement_required',
        feature: 'collaborators.invite',
        current: 2,
        limit: 2,
        planId: 'starter',
        status: 'active',
        upgradeRequired: true,
      }),
    )
  })

  it('does not count declined or revoked shares towards the quota', async () => {
    const { alice, library } = await start('starter')
    const bob = await gateway.signUp()
    const declined = await inviteToLibrary(alice, library, { targetUserId: bob.accountId })
    const revoked = await inviteToLibrary(alice, library, { email })
    expect((await alice.post(pathOf(library), { targetUserId, accessType })).status).toBe(403)
    await bob.patch(`${pathOf(library)}/${declined.id}`, { inviteStatus: 'declined' })
    await alice.delete(`${pathOf(library)}/${revoked.id}`)
    expect((await alice.post(pathOf(library), { targetUserId, accessType })).status).toBe(201)
    expect((await alice.post(pathOf(library), { email, accessType })).status).toBe(201)
  })

  it('returns 403 to an admin', async () => {
    const { alice, library } = await start()
    const bob = await gateway.signUp()
    await shareLibrary(alice, library, bob, 'admin')
    const response = await bob.post(pathOf(library), { email, accessType })
    expect(response.status).toBe(403)
    expect(response.body).toEqual(errorBody('forbidden'))
  })
})
